/** What has to be done to bring the user to an agent. */
import { sanitize } from "../../core/text/sanitize.js";
import { shellWord } from "../../core/text/shell-word.js";
import { BadInput } from "../../replay/bad-input.js";
import { placeOf, type RunningAgent } from "./find.js";
import { ownServer, type PanePlace } from "./panes.js";

export type Route =
  /** Another pane of the tmux server that this process runs in. */
  | { kind: "switch"; pane: PanePlace }
  /** A tmux client in this terminal. */
  | { kind: "tmux"; pane: PanePlace; command: string }
  /** `rouse attach` in this terminal. */
  | { kind: "attach"; command: string }
  /** Another terminal: its description. */
  | { kind: "terminal"; text: string };

export async function routeTo(agent: RunningAgent): Promise<Route> {
  const name = sanitize(agent.name, 80);
  const place = await placeOf(agent);
  const attach = `rouse attach ${shellWord(agent.name)}`;
  if (place.kind === "attach") return { kind: "attach", command: attach };
  if (place.kind === "terminal") {
    const where = place.tty === null ? "in an unknown terminal" : `in the terminal ${sanitize(place.tty, 100)}`;
    const process = place.pid === null ? "" : ` (process ${place.pid})`;
    const open = agent.host_socket === null ? "" : ` To open it here, run \`${attach}\`.`;
    return { kind: "terminal", text: `${name} runs ${where}${process}.${open}` };
  }
  const { pane } = place;
  const command = `tmux -S ${shellWord(pane.socket)} attach -t ${shellWord(pane.id)}`;
  const own = ownServer();
  if (own === pane.socket) return { kind: "switch", pane };
  if (own === null) return { kind: "tmux", pane, command };
  throw new BadInput(`${name} runs in another tmux server; detach from this one, then run \`${command}\``);
}
