/**
 * An orchestrator that is told only when a worker needs it, and does what each message asks for.
 *
 *   rouse spawn --name feat-103-worker --tag worker -- claude "…"
 *   node examples/orchestrator.ts
 */
import { type MessageView, type Rouse, watch } from "rouse";

type Payload = Record<string, unknown> & { worker_id: string; worker_name: string };

/** What to do about each type of message. What it returns is said. */
const HANDLING: Record<string, (rouse: Rouse, payload: Payload) => Promise<string>> = {
  "worker.stuck": async (rouse, { worker_id, cause, duration_secs }) => {
    const lines = await rouse.readPane(worker_id, 10).catch((): string[] => []);
    return `stuck (${String(cause)}) for ${String(duration_secs)} s; it shows: ${lines.at(-1) ?? "nothing"}`;
  },
  "worker.needs_input": async (_rouse, { prompt_type, prompt_preview }) =>
    // A permission is a person's to give; a question in words may be answered with rouse.sendInput(worker_id, "…").
    `asks for ${String(prompt_type)}: ${String(prompt_preview)}`,
  "worker.error": async (_rouse, { error_context }) => `failed: ${String(error_context)}`,
  "worker.complete": async (rouse, { worker_id, outcome, completion_message }) => {
    await rouse.stop(worker_id).catch(() => null);
    return `finished (${String(outcome)}): ${String(completion_message)}`;
  },
  "worker.recovered": async () => "goes on by itself",
  "worker.escalated": async (_rouse, { reason }) => `needs a person: ${String(reason)}`,
  "watchdog.blind": async (_rouse, { reason }) => `cannot be seen: ${String(reason)}`,
};

export async function handle(rouse: Rouse, { msg_type, payload }: MessageView): Promise<string> {
  const about = payload as Payload;
  const act = HANDLING[msg_type];
  return `${about.worker_name}: ${act ? await act(rouse, about) : `said ${msg_type}`}`;
}

export async function main(say: (line: string) => void, rouse: Rouse): Promise<void> {
  // Each message is acknowledged when it was handled; one that could not be is shown again.
  await rouse.deliver(async (message) => say(await handle(rouse, message)));
}

if (import.meta.filename === process.argv[1]) {
  const rouse = await watch({ name: "orchestrator" });
  process.once("SIGINT", () => void rouse.close());
  await main((line) => console.log(line), rouse);
}
