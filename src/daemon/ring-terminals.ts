/** Rings the bell in every terminal of a host that a user runs or views. */
import { askHostProcess } from "../terminal/ask.js";
import type { Loop } from "./loop.js";

const WITHIN_MS = 8000;

/** Returns the number of terminals. */
export async function ringTerminals(loop: Loop, text: string): Promise<number> {
  const sockets = loop
    .sessions()
    .flatMap(({ session }) => (session.endedAt === null && session.hostSocket !== null ? [session.hostSocket] : []));
  const asked = await Promise.all(
    sockets.map((socket) => askHostProcess(socket, { op: "notify", text }, "notified", WITHIN_MS)),
  );
  return asked.reduce((sum, one) => sum + (one.kind === "answer" ? Number(one.event.terminals) || 0 : 0), 0);
}
