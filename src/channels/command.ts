/** The user's own program: the notice as JSON on its standard input, none of it in the arguments. */
import type { Channel } from "./channel.js";
import { runProgram } from "./program.js";
import { payloadOf } from "./webhook.js";

export const commandChannel = (name: string, argv: readonly string[]): Channel => ({
  name,
  type: "command",
  to: argv[0] ?? "",
  paceMs: 0,
  send: (notice, signal) =>
    runProgram(argv, `${JSON.stringify(payloadOf(notice))}\n`, { ROUSE_ALERT_KEY: notice.key }, signal),
});
