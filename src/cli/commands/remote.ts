/** Runs over there, started by ssh; not a command of users. `check`: whether this installation runs on this machine. */
import { loadSqlite } from "../../store/sqlite.js";

async function main(mode: string): Promise<number> {
  if (mode !== "check") throw new Error("unknown order");
  await import("../../terminal/pty.js");
  loadSqlite();
  return 0;
}

process.exitCode = await main(process.argv[2] ?? "").catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  return 1;
});
