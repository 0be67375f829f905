/** `rouse report`: an agent reports its own state. */
import { rousePaths } from "../../config/paths.js";
import { sanitize } from "../../core/text/sanitize.js";
import { type HttpAnswer, sendRequest } from "../send.js";
import { callerHeaders } from "./hook.js";

export const REPORT_STATES = ["working", "error", "complete", "needs_input"] as const;

const TEXT_MAX = 2000;
const LIMIT_MS = 3000;
/** An agent may report before its host has registered it. */
const WAIT_MS = 5000;
const STEP_MS = 100;
const USAGE = `usage: rouse report ${REPORT_STATES.join("|")} [text] [--heartbeat] [--name AGENT]`;

interface Report {
  state?: string;
  text?: string;
  heartbeat?: true;
  agent?: string;
  cwd: string;
}

export async function runReport(args: readonly string[]): Promise<number> {
  const report = parseReport(args);
  if (typeof report === "string") return say(`${report}\n${USAGE}`, 2);
  const answer = await sendReport(report);
  if (answer === null || answer.status === 503) return store(report);
  return answer.status === 200 ? 0 : say(reasonOf(answer.body), 1);
}

/** The daemon is down or still starting: the report is delivered later, at its own time. */
async function store(report: Report): Promise<number> {
  // A heartbeat proves that the agent is alive now; later it proves nothing.
  if (report.state === undefined) {
    process.stdout.write("Not stored: the daemon does not answer now, and a heartbeat proves nothing later.\n");
    return 0;
  }
  const [{ spool }, { reporter }] = await Promise.all([
    import("../../work/spool.js"),
    import("../../work/reporter.js"),
  ]);
  const paths = rousePaths();
  const stored = { operation: "report", at: Date.now(), ...reporter(paths), input: { ...report } } as const;
  const problem = spool(paths.state, stored);
  if (problem !== null) return say(`the daemon does not answer, and the report could not be stored: ${problem}`, 69);
  process.stdout.write("Stored: the daemon does not answer now; the report is delivered when it does.\n");
  return 0;
}

async function sendReport(report: Report): Promise<HttpAnswer | null> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await sendRequest({
      socketPath: rousePaths().daemonSocket,
      path: "/v1/report",
      body: JSON.stringify(report),
      headers: callerHeaders(),
      limitMs: LIMIT_MS,
    });
    if (Date.now() > deadline || !(await isEarly(report, answer))) return answer;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

async function isEarly({ agent }: Report, answer: HttpAnswer | null): Promise<boolean> {
  if (answer?.status !== 404 && answer?.status !== 503) return false;
  const { isYoungSession, youngSessions } = await import("../../terminal/registry.js");
  if (agent !== undefined) return youngSessions(rousePaths()).some(({ name, id }) => name === agent || id === agent);
  return isYoungSession(process.env.ROUSE_SESSION ?? "");
}

/** The report, or the error in the arguments. */
function parseReport(args: readonly string[]): Report | string {
  const report: Report = { cwd: process.cwd() };
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      words.push(...args.slice(at + 1));
      break;
    }
    if (word === "--heartbeat") report.heartbeat = true;
    else if (word === "--name") {
      const name = args[++at];
      if (name === undefined) return "--name requires the name of an agent";
      report.agent = name;
    } else if (word.startsWith("--")) return `unknown option ${JSON.stringify(sanitize(word, 40))}`;
    else words.push(word);
  }
  const [state, ...text] = words;
  if (state === undefined && report.heartbeat === undefined) return "the state is missing";
  if (state !== undefined && !(REPORT_STATES as readonly string[]).includes(state)) {
    return `${JSON.stringify(sanitize(state, 40))} is not a state that an agent can report`;
  }
  if (state !== undefined) report.state = state;
  if (text.length > 0) report.text = text.join(" ").slice(0, TEXT_MAX);
  return report;
}

function reasonOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === "string" ? error.slice(0, 500) : "the daemon refused the report";
  } catch {
    return "the daemon refused the report";
  }
}

/** The width of the terminal is needed for errors only. */
async function say(message: string, code: number): Promise<number> {
  const { foldText } = await import("../text/width.js");
  process.stderr.write(foldText(`rouse: ${message}\n`, process.stderr));
  return code;
}
