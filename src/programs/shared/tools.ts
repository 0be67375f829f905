/**
 * Reads from a tool call its class, its subject, the duration that it states, and the content that an edit leaves. The
 * names of all programs are in one table; spelling does not matter (`run_shell_command`, `RunShellCommand`).
 */
import type { ToolClass } from "../../core/signal.js";
import { classifyCommand } from "./commands.js";
import { type EditFacts, editFacts, firstText, isPatch, patchFacts, pathOf } from "./edits.js";

export interface ToolReading extends EditFacts {
  class: ToolClass;
  timeoutMs?: number;
  background?: boolean;
}

const names = (text: string): string[] => text.trim().split(/\s+/);

/** Names without case, `_` and `-`. `shell` here means: classify the command. */
const NAMES: Partial<Record<ToolClass, readonly string[]>> = {
  instant: names(
    "read readfile readmanyfiles view viewfile viewimage cat glob grep grepsearch search searchfiles searchfilecontent searchcode codebasesearch filesearch findfiles ls list listdir listdirectory listfiles todowrite todoread writetodos updateplan savememory notebookread skill activateskill toolsearch lsp killshell killbash taskstop taskcreate taskupdate tasklist taskget sendinput sendmessage closeagent cronlist crondelete croncreate getinternaldocs memory readlints readmediafile",
  ),
  edit: names(
    "edit multiedit write writefile writetofile notebookedit replace applypatch patch editfile createfile strreplace strreplaceeditor strreplacebasededittool searchreplace replaceinfile insertcontent insert applydiff deletefile morphedit",
  ),
  shell: names(
    "bash shell shellcommand localshell localshellcall exec execcommand execute executecommand executebash runshellcommand runcommand runinterminal runterminalcmd runterminalcommand terminal powershell pwsh command cmd cmdrun container.exec ipython python executepython runcode",
  ),
  web: names(
    "webfetch websearch websearchcall googlewebsearch fetch fetchurl browser browseruse openurl websearchtool urlfetch",
  ),
  mcp: names("listmcpresources listmcpresourcetemplates readmcpresource callmcptool usemcptool accessmcpresource"),
  subagent: names(
    "task agent subagent spawnagent delegate delegatetask dispatchagent codebaseinvestigator generalist newtask runsubagent resumeagent waitagent batch workflow",
  ),
  background: names(
    "bashoutput taskoutput agentoutput getoutput writestdin wait monitor readbackgroundoutput checkbackgroundagent commandstatus getterminaloutput shelloutput",
  ),
  sleep: names("sleep schedulewakeup delay waitfor"),
  question: names(
    "askuserquestion askuser requestuserinput question askfollowupquestion askhuman askquestion askquestions humaninput elicit",
  ),
  plan: names("exitplanmode enterplanmode planexit planenter plan exitplan presentplan planmoderespond"),
};

const CLASS_OF: ReadonlyMap<string, ToolClass> = new Map(
  Object.entries(NAMES).flatMap(([toolClass, all]) => all.map((name) => [name, toolClass as ToolClass])),
);

const COMMAND_KEYS = [
  "command",
  "cmd",
  "script",
  "commandLine",
  "command_line",
  "shell_command",
  "code",
  "input",
  "argv",
];
const SUBJECT_KEYS = [
  "url",
  "uri",
  "query",
  "q",
  "pattern",
  "subagent_type",
  "agent",
  "description",
  "prompt",
  "bash_id",
  "task_id",
  "session_id",
];
const BACKGROUND_KEYS = ["run_in_background", "is_background", "isBackground", "background", "detach"];
const TIMEOUT_MS_KEYS = ["timeout_ms", "timeoutMs", "yield_time_ms", "timeout_millis"];
const TIMEOUT_SECONDS_KEYS = [
  "timeout_seconds",
  "timeout_secs",
  "timeout_sec",
  "delaySeconds",
  "delay_seconds",
  "seconds",
  "wait_seconds",
];
const SUBJECT_MAX = 200;
const TIMEOUT_MAX = 7 * 86_400_000;

/** Classifies one call. `args` may be anything, also JSON text as Codex writes it. */
export function classifyTool(name: string, args: unknown): ToolReading {
  const record = recordOf(args);
  const declared = declaredTimeout(record);
  const background = BACKGROUND_KEYS.some((key) => record[key] === true) ? { background: true } : {};
  const found = classOfName(name);
  if (found === "shell") return { ...commandReading(args, record, declared), ...background };
  const limits = { ...(declared === undefined ? {} : { timeoutMs: declared }), ...background };
  if (found === "edit" && record.command !== "view") {
    const facts = typeof args === "string" && isPatch(args) ? patchFacts(args) : editFacts(record);
    return { class: "edit", ...facts, ...limits };
  }
  const subject = found === "mcp" ? name.slice(0, SUBJECT_MAX) : (pathOf(record) ?? subjectOf(record));
  return { class: found === "edit" ? "instant" : found, ...(subject === undefined ? {} : { subject }), ...limits };
}

function classOfName(name: string): ToolClass {
  const known = CLASS_OF.get(name.slice(0, 100).toLowerCase().replace(/[_-]/g, ""));
  if (known !== undefined) return known;
  // Tools of MCP servers are called "mcp__server__tool" (Claude Code), "server__tool" (Codex, Gemini CLI).
  if (name.includes("__") || /^mcp[_-]/i.test(name)) return "mcp";
  return /^browser[_-]/i.test(name) ? "web" : "other";
}

function commandReading(args: unknown, record: Record<string, unknown>, declared: number | undefined): ToolReading {
  const command = commandOf(args, record);
  if (command === undefined) return { class: "shell", ...(declared === undefined ? {} : { timeoutMs: declared }) };
  const text = typeof command === "string" ? command : command.join("\n");
  if (text.includes("*** Begin Patch") && /\bapply_?patch\b/.test(text.slice(0, 200)))
    return { class: "edit", ...patchFacts(text) };
  const { head, timeoutMs: own, ...reading } = classifyCommand(command);
  const limits = [own, declared].filter((ms) => ms !== undefined);
  return {
    ...reading,
    ...(head === "" ? {} : { subject: head }),
    ...(limits.length === 0 ? {} : { timeoutMs: Math.min(...limits) }),
  };
}

function commandOf(args: unknown, record: Record<string, unknown>): string | string[] | undefined {
  const action = record.action;
  const inner = action !== null && typeof action === "object" ? (action as Record<string, unknown>) : {};
  for (const source of [record, inner]) {
    for (const key of COMMAND_KEYS) {
      const value = source[key];
      if (typeof value === "string") return value;
      if (Array.isArray(value)) return value.filter((word) => typeof word === "string").slice(0, 64);
    }
  }
  return typeof args === "string" && !args.startsWith("{") ? args : undefined;
}

function recordOf(args: unknown): Record<string, unknown> {
  if (typeof args === "string" && args.startsWith("{")) {
    try {
      return recordOf(JSON.parse(args));
    } catch {
      return {};
    }
  }
  return args !== null && typeof args === "object" && !Array.isArray(args) ? (args as Record<string, unknown>) : {};
}

/** The call's own limit. A plain `timeout` counts milliseconds, but values below a second are meant as seconds. */
function declaredTimeout(record: Record<string, unknown>): number | undefined {
  const read = (keys: readonly string[], unit: (value: number) => number): number | undefined => {
    for (const key of keys) {
      const given = record[key];
      const value = typeof given === "number" || typeof given === "string" ? Number(given) : 0;
      if (value > 0) return Math.min(Math.round(value * unit(value)), TIMEOUT_MAX);
    }
    return undefined;
  };
  return (
    read(TIMEOUT_MS_KEYS, () => 1) ??
    read(TIMEOUT_SECONDS_KEYS, () => 1000) ??
    read(["timeout"], (value) => (value < 1000 ? 1000 : 1))
  );
}

function subjectOf(record: Record<string, unknown>): string | undefined {
  return firstText(record, SUBJECT_KEYS)?.slice(0, SUBJECT_MAX);
}
