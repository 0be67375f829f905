/**
 * An orchestrator that gets a message only when a worker needs it, and acts on each message.
 *
 *   rouse spawn --name feat-103-worker --tag worker -- claude "…"
 *   node examples/orchestrator.ts     (Node.js 22.18 or newer; with Node.js 20: npx tsx examples/orchestrator.ts)
 */
import { type MessageView, type Notice, type Rouse, watch } from "rouse";

/** Acts on a message from rouse and returns a line to print. */
async function actOn(rouse: Rouse, notice: Notice): Promise<string> {
  switch (notice.msg_type) {
    case "worker.stuck": {
      const { worker_id, cause, duration_secs } = notice.payload;
      const lines = await rouse.readPane(worker_id, 10).catch((): string[] => []);
      return `stuck (${cause}) for ${duration_secs} s; last line: ${lines.at(-1) ?? "nothing"}`;
    }
    case "worker.needs_input":
      // Only the user grants permissions; answer a question with rouse.sendInput(worker_id, "…").
      return `asks for ${notice.payload.prompt_type}: ${notice.payload.prompt_preview}`;
    case "worker.error":
      return `failed: ${notice.payload.error_context}`;
    case "worker.complete": {
      const { worker_id, outcome, completion_message } = notice.payload;
      // Collect the work before this.
      if (outcome === "success") await rouse.stop(worker_id).catch(() => null);
      return `finished (${outcome}): ${completion_message}`;
    }
    case "worker.recovered":
      return notice.payload.proven ? "recovered" : `${notice.payload.was} is no longer seen: check the worker`;
    case "worker.escalated":
      return `needs you: ${notice.payload.reason}`;
    case "watchdog.blind":
      return `rouse cannot see it: ${notice.payload.reason}`;
  }
}

export async function handle(rouse: Rouse, message: MessageView): Promise<string> {
  if (message.source !== "rouse") return `${message.from} sent ${message.msg_type}`;
  return `${message.payload.worker_name}: ${await actOn(rouse, message)}`;
}

export async function main(say: (line: string) => void, rouse: Rouse): Promise<void> {
  // A message is acknowledged after its handler returns. A failed one is retried, and finally becomes a dead letter.
  await rouse.deliver(async (message) => say(await handle(rouse, message)), {
    onError: (error, message, attempt) => say(`message ${message?.cursor}, attempt ${attempt}: ${String(error)}`),
    onDeadLetter: (message) => say(`gave up on message ${message.cursor}; see rouse.deadLetters()`),
  });
}

if (import.meta.filename === process.argv[1]) {
  const rouse = await watch({ name: "orchestrator" });
  process.once("SIGINT", () => void rouse.close());
  await main((line) => console.log(line), rouse);
}
