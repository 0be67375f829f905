// `npm run test:real`: real clients. With `--cell` only those cells of the live table; all other arguments are Vitest's.
import { spawn } from "node:child_process";
import { join } from "node:path";

/** The options of the live table, and the variables in which the tests read them. */
const OPTIONS = {
  "--cell": "ROUSE_REAL_CELL",
  "--times": "ROUSE_REAL_TIMES",
  "--load": "ROUSE_REAL_LOAD",
  "--until": "ROUSE_REAL_UNTIL",
};

const env = { ...process.env };
const rest = [];
const given = process.argv.slice(2);
while (given.length > 0) {
  const [option, ...value] = given.shift().split("=");
  const variable = OPTIONS[option];
  if (variable) env[variable] = value.length > 0 ? value.join("=") : (given.shift() ?? "");
  else rest.push([option, ...value].join("="));
}
const root = join(import.meta.dirname, "..");
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const config = join(root, "test", "real", "vitest.config.ts");
const child = spawn(process.execPath, [vitest, "run", "--config", config, ...rest], {
  cwd: root,
  env,
  stdio: "inherit",
});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
