/**⏎ * An unknown program, drawn like the one in docs/add-a-program.md with its own words. Each Enter moves it on: at its⏎ * prompt; at work, then a question that no structure shows; at work, then out of ink and at its prompt again.⏎ *⏎ *   node sketch.mjs⏎ */
import { setTimeout as sleep } from "node:timers/promises";

const reply = ["Sketch 1.4", ""];
const draw = (...bottom) => process.stdout.write(`\u001b[2J\u001b[H${[...reply, ...bottom].join("\r\n")}`);

const entered = () =>
  new Promise((resolve) => {
    const take = (bytes) => {
      if (!/[\r\n]/.test(String(bytes))) return;
      process.stdin.off("data", take);
      resolve();
    };
    process.stdin.on("data", take);
  });

async function work(what) {
  reply.push(`  ${what}`, "");
  for (let round = 0; round < 20; round++) {
    draw(`<< busy >> ${".".repeat((round % 5) + 1)}`, "", "sketch] ");
    await sleep(150);
  }
}

process.stdin.setRawMode?.(true);
process.stdin.resume();
draw("sketch] ");
await entered();
await work("draw a house");
draw("The pen rests above house.svg");
await entered();
await work("draw it all the same");
reply.push("Out of ink, the next bottle comes in 90 minutes.", "");
draw("sketch] ");
await entered();
process.exit(0);
