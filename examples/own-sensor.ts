/**
 * A sensor of your own: an agent that rouse cannot see, such as one in a container or on another machine, watched by the
 * signals that you send. `node examples/own-sensor.ts` (Node.js 22.18 or newer)
 */
import { type Rouse, watch } from "rouse";

export async function main(say: (line: string) => void, rouse: Rouse): Promise<void> {
  const agent = rouse.addAgent({ name: "remote-worker", tags: ["worker"], task: "fix the parser" });
  agent.send({ kind: "turn", source: "stream", phase: "start" });
  agent.send({ kind: "delta", source: "stream", channel: "content", chars: 400 });
  await until(async () => (await rouse.agents({ name: "remote-worker" }))[0]?.state === "working");
  say("remote-worker is working");
  agent.send({ kind: "turn", source: "stream", phase: "end" });
  agent.send({ kind: "report", source: "report", state: "complete", text: "the parser is fixed" });
  await until(async () => (await rouse.status("remote-worker")).state === "complete");
  say("remote-worker is done");
  await agent.end(0);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

if (import.meta.filename === process.argv[1]) {
  const rouse = await watch({ name: "sensor" });
  await main((line) => console.log(line), rouse);
  await rouse.close();
}
