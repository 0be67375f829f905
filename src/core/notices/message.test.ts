import { expect, it } from "vitest";
import { MESSAGE_TYPES } from "./message.js";

it("there are exactly these types of messages, which clients filter by", () => {
  expect([...MESSAGE_TYPES].sort()).toEqual([
    "watchdog.blind",
    "worker.complete",
    "worker.error",
    "worker.escalated",
    "worker.needs_input",
    "worker.recovered",
    "worker.stuck",
  ]);
});
