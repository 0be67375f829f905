/** The bell and OSC 9 in every terminal that rouse has: those of `rouse run` and `rouse attach`. */
import { sanitize } from "../core/text/sanitize.js";
import { type Channel, retryDelivery, SENT } from "./channel.js";

const TEXT_MAX = 200;

export const terminalChannel = (name: string, ring: (text: string) => Promise<number>): Channel => ({
  name,
  type: "terminal",
  to: "the terminals that rouse has",
  paceMs: 500,
  send: async ({ title }) => {
    const reached = await ring(sanitize(title, TEXT_MAX));
    return reached > 0 ? SENT : retryDelivery("nobody is at a terminal of rouse's own");
  },
});
