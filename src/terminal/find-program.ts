/** Finds a program as a shell does, to report "not found" as a shell does: a pseudo-terminal would only show exit 1. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

export function findProgram(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): "found" | "missing" | "forbidden" {
  const places = file.includes("/")
    ? [resolve(cwd, file)]
    : (env.PATH ?? "/usr/bin:/bin").split(delimiter).map((folder) => join(resolve(cwd, folder), file));
  const seen = places.map(check);
  return seen.find((found) => found === "found") ?? seen.find((found) => found === "forbidden") ?? "missing";
}

function check(path: string): "found" | "missing" | "forbidden" {
  try {
    if (!statSync(path).isFile()) return "forbidden";
    accessSync(path, constants.X_OK);
    return "found";
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? "forbidden" : "missing";
  }
}
