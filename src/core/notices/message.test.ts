import { expect, it } from "vitest";
import * as message from "./message.js";

it("there are exactly these types of messages, which clients filter by", () => {
  const lists = Object.values(message).filter((value) => Array.isArray(value));
  expect(lists.map((list) => [...list].sort())).toEqual([
    [
      "watchdog.blind",
      "worker.complete",
      "worker.error",
      "worker.escalated",
      "worker.needs_input",
      "worker.recovered",
      "worker.stuck",
    ],
  ]);
});
