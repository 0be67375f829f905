/** Runs a program by an argument array, without a shell, with a text on its standard input. */
import { spawn } from "node:child_process";
import { type DeliveryResult, refusedDelivery, retryDelivery, SEND_MS, SENT } from "./channel.js";
import { deadline } from "./deadline.js";

export function runProgram(
  [file = "", ...args]: readonly string[],
  input: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  return new Promise((resolve) => {
    const limit = deadline(SEND_MS);
    const child = spawn(file, args, {
      env: { ...process.env, ...env },
      stdio: ["pipe", "ignore", "ignore"],
      signal: AbortSignal.any([signal, limit]),
      killSignal: "SIGKILL",
    });
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve(refusedDelivery(`${file}: program not found`));
      else if (error.code === "EACCES") resolve(refusedDelivery(`${file}: permission denied`));
      else
        resolve(
          retryDelivery(limit.aborted ? `${file} took longer than ${SEND_MS / 1000} s` : `${file}: ${error.name}`),
        );
    });
    child.on("close", (code, killed) =>
      resolve(code === 0 ? SENT : retryDelivery(`${file} exited with ${code === null ? String(killed) : code}`)),
    );
    // A program that does not read its input is fine too.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
