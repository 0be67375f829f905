/** An agent that runs the commands of the test inside of itself: one JSON file per command, and one with its result. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
process.stdout.write("ready\r\n");
setInterval(() => {
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".job"))) {
    const job = join(folder, name);
    const { argv, env, input } = JSON.parse(readFileSync(job, "utf8"));
    renameSync(job, `${job}.begun`);
    const [file, ...args] = argv;
    const { status, stdout, stderr } = spawnSync(file, args, {
      encoding: "utf8",
      input,
      env: Object.fromEntries(Object.entries({ ...process.env, ...env }).filter(([, value]) => value !== null)),
    });
    writeFileSync(`${job}.part`, JSON.stringify({ status, stdout, stderr }));
    renameSync(`${job}.part`, `${job}.done`);
  }
}, 20);
