/** Sends a command for an agent of another node, and prints its outcome. */
import { sanitizedJson } from "../core/text/sanitize.js";
import { call, type OperationInput } from "./client.js";
import { commandText } from "./text/fleet.js";

/** A recovery may take minutes. */
const PATIENCE_MS = 320_000;

/** Returns whether it was carried out. */
export async function sendCommand(command: OperationInput<"fleet_command">, json = false): Promise<boolean> {
  const outcome = await call("fleet_command", command, PATIENCE_MS);
  process.stdout.write(json ? `${sanitizedJson(outcome)}\n` : commandText(outcome));
  return outcome.result === "done";
}
