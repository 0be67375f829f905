/**
 * One process that uses a hub, for tests of races. Options as JSON in its first argument; answers as JSON lines. Runs the compiled
 * rouse, as users do.
 */
import { createInterface } from "node:readline";
import { openHub } from "../../dist/hub/open.js";

const { mode, options, url, leaseMs, count, name } = JSON.parse(process.argv[2] ?? "{}");
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

if (mode === "init") {
  const { initHub } = await import("../../dist/hub/postgres/admin.js");
  print((await initHub(url)).done);
} else {
  const hub = await openHub(options);
  await { add, claim, hold }[mode](hub);
  await hub.close();
  // An open standard input would keep the process alive.
  process.stdin.destroy();
}

async function add(hub) {
  print(await hub.add({ title: name }, name));
}

/** Claims until nothing is left. */
async function claim(hub) {
  print("ready");
  await lines().next();
  for (;;) {
    const claimed = await hub.claimNext({}, { agent: name, session: name });
    if (!claimed) break;
    print(claimed.claim);
    await hub.finish(claimed.claim, { outcome: "done" });
  }
}

/** Claims some tasks, renews them three times per lease, and on each line of input tries to write with each claim. */
async function hold(hub) {
  const claims = [];
  for (let i = 0; i < count; i++) claims.push((await hub.claimNext({}, { agent: name, session: name, leaseMs })).claim);
  print(claims);
  const timer = setInterval(() => hub.renew(claims).catch(() => {}), leaseMs / 3);
  for await (const line of lines()) {
    if (line === "end") break;
    const answers = [];
    for (const held of claims)
      answers.push(
        await hub.checkpoint(held, { text: line, source: "cli" }).then(
          () => "accepted",
          ({ code }) => code,
        ),
      );
    print(answers);
  }
  clearInterval(timer);
}

function lines() {
  return createInterface({ input: process.stdin })[Symbol.asyncIterator]();
}
