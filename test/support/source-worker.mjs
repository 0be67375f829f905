/**
 * One node of rouse that works off a tracker, for tests of races: its own daemon's parts over a shared hub, as compiled. Options as
 * JSON in its first argument; each start of work is one JSON line.
 */
import { NodeHub } from "../../dist/work/node-hub.js";
import { SourceSync } from "../../dist/work/sources/source-sync.js";

const { hub: options, state, settings, name } = JSON.parse(process.argv[2]);
const log = (line) => process.stderr.write(`${line}\n`);
let ahead = 0;
const sync = new SourceSync({ settings: [settings], state, node: name, now: () => Date.now() + ahead, log });
const node = new NodeHub({ ...options, node: name, instance: name, version: "1", sources: sync });
const hub = await node.open();
// A list that a rate limit ended continues with the next one.
for (let round = 0; round < 4; round++) {
  await sync.tick(() => node.open());
  ahead += 16 * 60_000;
}
process.stdout.write(`${JSON.stringify("ready")}\n`);
await Promise.all(["one", "two", "three", "four"].map(work));
// Updates that were lost are sent again.
for (let round = 0; round < 60 && sync.views().some(({ waiting }) => waiting > 0); round++) {
  ahead += 16 * 60_000;
  await sync.tick(() => node.open());
}
await node.close();

async function work(agent) {
  for (;;) {
    const claimed = await hub.claimNext({}, { agent, session: agent });
    if (!claimed) return;
    process.stdout.write(`${JSON.stringify({ key: claimed.task.sourceKey, by: name })}\n`);
    await hub.finish(claimed.claim, { outcome: "done", result: `by ${name}` });
  }
}
