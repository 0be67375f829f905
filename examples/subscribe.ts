/** Follows state changes and incidents, across restarts of the daemon. `node examples/subscribe.ts` (Node.js 22.18 or newer) */
import { type Rouse, watch } from "rouse";

export async function main(say: (line: string) => void, rouse: Rouse): Promise<void> {
  for (const { name, state } of await rouse.agents()) say(`${name} is ${state}`);
  const missed = (): void => say("some changes were missed: read the agents again");
  for await (const { kind, agent, data } of rouse.events({ kinds: ["assessment", "incident"], missed })) {
    if (kind === "assessment") say(`${agent} is ${String(data.state)}`);
    else say(`${agent}: ${String(data.problem)} ${String(data.phase)}`);
  }
}

if (import.meta.filename === process.argv[1]) {
  const rouse = await watch({ name: "subscriber" });
  process.once("SIGINT", () => void rouse.close());
  await main((line) => console.log(line), rouse);
}
