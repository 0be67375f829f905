/** The bell and OSC 9 in every attached rouse terminal: `rouse run` and `rouse attach`. */
import { sanitize } from "../core/text/sanitize.js";
import { type Channel, retryDelivery, SENT } from "./channel.js";

const TEXT_MAX = 200;

export const terminalChannel = (name: string, ring: (text: string) => Promise<number>): Channel => ({
  name,
  type: "terminal",
  to: "attached rouse terminals",
  paceMs: 500,
  send: async ({ title }) => {
    const reached = await ring(sanitize(title, TEXT_MAX));
    return reached > 0 ? SENT : retryDelivery("no rouse terminal is attached");
  },
});
