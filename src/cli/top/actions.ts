/** What `rouse top` does with an agent. Loaded with the first action: the first frame must not wait for it. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { sanitizeLine } from "../../core/text/sanitize.js";
import type { SessionView } from "../../daemon/views/view.js";
import { call } from "../client.js";
import { recoveryText } from "../commands/recover.js";
import { whyText } from "../commands/status.js";
import { runningAgent } from "../go/find.js";
import { attachTo, switchTo } from "../go/panes.js";
import { routeTo } from "../go/route.js";
import { parseDuration } from "../since.js";

const BIN = join(import.meta.dirname, "..", "..", "..", "bin", "rouse");
const LINES = 500;
/** Recovery steps and `send_input` wait for the agent. */
const ACTION_MS = 120_000;

/** Dialogs that grant something: a key press in a list must not. */
const UNANSWERED: ReadonlySet<string> = new Set(["permission", "plan", "trust", "login"]);

/** Why `rouse top` does not type into the agent; null if it does. */
export function answerObjection({ name, state, cause }: Pick<SessionView, "name" | "state" | "cause">): string | null {
  if (state !== "needs_input" || !UNANSWERED.has(cause ?? "")) return null;
  return `${name} asks for a ${cause === "plan" ? "plan approval" : cause}; answer it in its terminal (g)`;
}

export async function whyLines(agent: string): Promise<string[]> {
  return textLines(whyText(await call("why", { agent }), {}));
}

export async function logLines(agent: string): Promise<string[]> {
  const { lines } = await call("read_pane", { agent, lines: LINES });
  return lines.map(sanitizeLine);
}

export async function acknowledge(agent: string): Promise<string> {
  const { problem } = await call("ack", { incident: agent });
  return `Acknowledged ${problem} of ${agent}.`;
}

export async function silence(agent: string, duration: string): Promise<string> {
  const ms = parseDuration(duration.trim());
  await call("silence", { what: agent, problem: null, for_secs: ms / 1000 });
  return `Silenced ${agent} for ${duration.trim()}.`;
}

/** Through the guarded operation, which reads the screen again and refuses dialogs, drafts and busy turns. */
export async function answer(agent: string, text: string): Promise<string> {
  const { result, reason } = await call("send_input", { agent, text, timeout_secs: 20 }, ACTION_MS);
  return `${agent}: ${result === "done" ? "" : `${result}: `}${reason}`;
}

export async function recovery(agent: string, isDryRun: boolean): Promise<{ text: string; isPossible: boolean }> {
  const view = await call("recover", { agent, dry_run: isDryRun }, ACTION_MS);
  const [text = ""] = textLines(recoveryText(view));
  return { text, isPossible: view.steps.length > 0 };
}

/** `suspended` runs something that needs the whole terminal. */
export async function goTo(agent: string, suspended: (run: () => number) => number): Promise<string> {
  const route = await routeTo(await runningAgent(agent));
  if (route.kind === "terminal") return route.text;
  if (route.kind === "attach") return attach(agent, suspended);
  if (route.kind === "tmux") {
    const code = suspended(() => attachTo(route.pane));
    return code === 0 ? `Back from ${agent}.` : `tmux ended with exit code ${code}.`;
  }
  const problem = switchTo(route.pane);
  if (problem !== null) throw new Error(`tmux did not switch: ${problem}`);
  return `Went to ${agent}.`;
}

export async function attach(agent: string, suspended: (run: () => number) => number): Promise<string> {
  let problem = "";
  const code = suspended(() => {
    const { status, stderr } = spawnSync(process.execPath, [BIN, "attach", agent], {
      stdio: ["inherit", "inherit", "pipe"],
      encoding: "utf8",
    });
    problem = stderr.trim().split("\n").join(" ");
    return status ?? 1;
  });
  if (code !== 0) throw new Error(problem.replace(/^rouse: /, "") || `attach ended with exit code ${code}`);
  return `Detached from ${agent}.`;
}

const textLines = (text: string): string[] => text.trimEnd().split("\n");
