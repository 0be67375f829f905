/**
 * Starts a configured agent for a task: claims it, or takes it over, then starts the agent with a prompt that says what is
 * done and what is left. Everything that can be checked is checked before the claim, so a mistake costs no continuation.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ConfiguredAgent } from "../config/agents.js";
import { tagOfAgent } from "../config/agents.js";
import { makePrivateFolder, type RousePaths } from "../config/paths.js";
import { otherNames } from "../config/suggest.js";
import { writeWhole } from "../config/whole-file.js";
import type { AgentSession } from "../core/agent.js";
import { ROUSE_MARK } from "../core/judgement/noise.js";
import { redact } from "../core/text/redact.js";
import type { EffectResult } from "../effects/keys/terminal-session.js";
import type { Claim, Claimed, Hub } from "../hub/hub.js";
import { addWorktree } from "../sensors/workspace/git.js";
import { findProgram } from "../terminal/find-program.js";
import { findRecord, listSessions, newSessionId } from "../terminal/registry.js";
import type { HostOrder, HostStartResult } from "../terminal/start-host.js";
import type { WorkSignal } from "./claim-keeper.js";
import { failedTitle, historyLines } from "./history.js";
import type { NodeHub } from "./node-hub.js";
import { makeTaskPrompt, type TaskPromptInput } from "./prompts/task-fields.js";
import { TemplateError } from "./prompts/template.js";
import { readWorkspaceFacts } from "./workspace-facts.js";

export interface TaskStart {
  task: number;
  /** Name of a configured agent, or of `agent`. */
  as: string;
  /** An agent that is not configured. */
  agent?: ConfiguredAgent;
  /** Name of the new agent; default: from the configured agent and the task. */
  name?: string | null;
  /** The claim to take over; without it, the task is claimed. */
  from?: { claim: Claim; reason: string; mayStillRun: string | null };
  /** A text of its own: choose a different approach. */
  approach?: "same" | "different";
  /** Added to that of the configuration. */
  directive?: string;
  worktree?: boolean;
  /** Where it works if the task names no folder. */
  workspace?: string | null;
  /** What else is known of effects, such as a pull request. */
  effects?: readonly string[];
  env?: Readonly<Record<string, string>>;
  cols?: number;
  rows?: number;
}

export type TaskStarted =
  | {
      result: "started";
      task: number;
      agent: string;
      session: string;
      pid: number;
      fence: number;
      promptFile: string;
      prompt: EffectResult | null;
    }
  /** No continuation was left: the task has failed. `history` is for the user. */
  | { result: "exhausted"; title: string; history: string[] };

/** Nothing was started, and why. `isClaimed`: the task was taken and given back. */
export class NotStarted extends Error {
  readonly isClaimed: boolean;
  constructor(message: string, isClaimed = false) {
    super(message);
    this.isClaimed = isClaimed;
  }
}

export interface TaskStarterOptions {
  hub: NodeHub;
  paths: Pick<RousePaths, "state" | "config" | "sessions">;
  agents: () => ReadonlyMap<string, ConfiguredAgent>;
  startHost: (order: HostOrder, env: NodeJS.ProcessEnv) => Promise<HostStartResult>;
  /** Types a prompt into the terminal of a new session. */
  type: (session: AgentSession, text: string) => Promise<EffectResult>;
  /** Tells the judgement of a session; waits until it is registered. */
  signal: (session: string, signal: WorkSignal) => Promise<void>;
  minutes: (workspace: string) => { checkpoint: number; stall: number };
  now: () => number;
  env: NodeJS.ProcessEnv;
}

const COLS = 120;
const ROWS = 40;
/** Linux takes 128 kB in one argument. */
const ARGUMENT_MAX = 100_000;
const PROMPT = "{prompt}";
const PROMPT_FILE = "{prompt_file}";

export class TaskStarter {
  readonly #options: TaskStarterOptions;

  constructor(options: TaskStarterOptions) {
    this.#options = options;
  }

  /** Throws `NotStarted`, or `HubError` if the hub refused or cannot be reached. */
  async start(start: TaskStart): Promise<TaskStarted> {
    const { hub: own, now } = this.#options;
    const hub = await own.open();
    const agent = start.agent ?? this.#agent(start.as);
    const task = await hub.get(start.task);
    const isFirst = !start.from && task.continuations === 0 && task.claims.length === 0;
    const name = start.name ?? nameOf(agent.name, task.id, task.claims.length);
    if (listSessions(this.#options.paths).some((one) => one.isAlive && one.name === name))
      throw new NotStarted(`an agent named ${name} is already running; choose another name`);
    const workspace = await this.#workspace(start, agent, task.workspace);
    const program = findProgram(agent.command[0] ?? "", this.#env(start, agent), workspace);
    if (program !== "found")
      throw new NotStarted(
        `agents.${agent.name}.command: ${JSON.stringify(agent.command[0])} ${program === "missing" ? "was not found" : "cannot be run"}`,
      );
    const template = isFirst ? agent.prompt : start.approach === "different" ? "approach" : agent.continuation;
    // With a mistake in a template, nothing is claimed.
    const trial = { fence: task.fence + 1, progressId: 0 };
    await this.#prompt(hub, start, agent, workspace, template, trial);
    const session = newSessionId();
    const claimed = await this.#claim(hub, start, { agent: name, session });
    if (!claimed) {
      const failed = await hub.get(task.id);
      const history = historyLines(failed, await hub.events({ task: task.id }));
      return { result: "exhausted", title: failedTitle(failed), history };
    }
    const { claim } = claimed;
    try {
      const prompt = await this.#prompt(hub, start, agent, workspace, template, claim);
      return await this.#begin({ start, agent, name, workspace, claim, prompt, title: task.title });
    } catch (error) {
      const reason = `the agent was not started: ${(error as Error).message}`.slice(0, 500);
      await hub.release(claim, { reason }).catch(() => {});
      throw new NotStarted(`${reason}; task ${task.id} is offered again (${new Date(now()).toISOString()})`, true);
    }
  }

  #agent(name: string): ConfiguredAgent {
    const agents = this.#options.agents();
    const agent = agents.get(name);
    if (agent) return agent;
    throw new NotStarted(
      agents.size === 0
        ? "no agent is configured; add [agents.NAME] with a command to your configuration"
        : `unknown agent ${JSON.stringify(name.slice(0, 80))} in [agents]; ${otherNames(name, [...agents.keys()])}`,
    );
  }

  #env({ env = {} }: TaskStart, agent: ConfiguredAgent): NodeJS.ProcessEnv {
    return { ...this.#options.env, ...agent.env, ...env };
  }

  async #workspace(start: TaskStart, agent: ConfiguredAgent, own: string | null): Promise<string> {
    const folder = own ?? start.workspace ?? null;
    if (folder === null)
      throw new NotStarted(
        `task ${start.task} has no folder; set one: \`rouse task edit ${start.task} --workspace FOLDER\``,
      );
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new NotStarted(`the folder of task ${start.task} does not exist: ${folder}`);
    if (!(start.worktree ?? agent.worktree)) return folder;
    const path = join(this.#options.paths.state, "worktrees", `task-${start.task}`);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const problem = await addWorktree(folder, path, `rouse/task-${start.task}`);
    if (problem !== null) throw new NotStarted(`${problem}; is ${folder} a git repository with a commit?`);
    return path;
  }

  async #prompt(
    hub: Hub,
    start: TaskStart,
    agent: ConfiguredAgent,
    workspace: string,
    template: string,
    claim: Pick<Claim, "fence" | "progressId">,
  ): Promise<string> {
    const task = await hub.get(start.task);
    const { checkpoint, stall } = this.#options.minutes(workspace);
    const input: TaskPromptInput = {
      task,
      events: await hub.events({ task: task.id }),
      claim,
      workspace: await readWorkspaceFacts(workspace, task.claims[0]?.claimedAt ?? this.#options.now()),
      directive: [agent.directive, start.directive ?? ""].filter((one) => one !== "").join("\n\n"),
      mayStillRun: start.from?.mayStillRun ?? null,
      effects: start.effects ?? [],
      engine: hub.engine,
      progressFile: join(this.#options.paths.state, "progress.db"),
      checkpointMinutes: checkpoint,
      stallMinutes: stall,
    };
    try {
      return makeTaskPrompt(template, input, this.#options.paths.config);
    } catch (error) {
      throw error instanceof TemplateError ? new NotStarted(error.message) : error;
    }
  }

  async #claim(
    hub: Hub,
    { task, from }: TaskStart,
    holder: { agent: string; session: string },
  ): Promise<Claimed | null> {
    if (!from) return hub.claim(task, holder);
    return hub.takeOver({ task, fence: from.claim.fence }, holder, from.reason);
  }

  async #begin(given: {
    start: TaskStart;
    agent: ConfiguredAgent;
    name: string;
    workspace: string;
    claim: Claim;
    prompt: string;
    title: string;
  }): Promise<TaskStarted> {
    const { start, agent, name, workspace, claim, prompt, title } = given;
    const { paths, startHost, signal, type } = this.#options;
    const folder = join(paths.state, "prompts");
    makePrivateFolder(folder);
    const promptFile = join(folder, `task-${claim.task}-${claim.fence}.md`);
    writeWhole(promptFile, `${prompt}\n`);
    const pointer = `Read the file ${promptFile} and do what it says. ${ROUSE_MARK}`;
    const inline = Buffer.byteLength(prompt) > ARGUMENT_MAX ? pointer : prompt;
    const command = agent.command.map((word) =>
      word.replaceAll(PROMPT_FILE, promptFile).replaceAll(PROMPT, () => inline),
    );
    const isTyped = !agent.command.some((word) => word.includes(PROMPT) || word.includes(PROMPT_FILE));
    const env = { ...this.#env(start, agent), ROUSE_TASK: String(claim.task), ROUSE_PROMPT_FILE: promptFile };
    const spec: HostOrder["spec"] = {
      wanted: name,
      kind: agent.kind,
      tags: [...agent.tags, tagOfAgent(agent.name)],
      task: redact(`${claim.task}: ${title}`).slice(0, 200),
      policy: agent.policy,
      command,
      workspace,
      origin: "spawn",
    };
    const { cols = COLS, rows = ROWS } = start;
    const started = await startHost({ spec, cols, rows, session: claim.session }, env);
    const { pid, session, error } = started;
    if (session === undefined || pid === undefined) throw new Error(error ?? "no reason was given");
    await signal(session, { kind: "claim", task: String(claim.task), phase: "taken" });
    if (start.from)
      await signal(start.from.claim.session, { kind: "claim", task: String(claim.task), phase: "released" });
    const found = isTyped ? findRecord(paths, session) : null;
    const typed = found ? await type(found, pointer) : null;
    return {
      result: "started",
      task: claim.task,
      agent: name,
      session,
      pid,
      fence: claim.fence,
      promptFile,
      prompt: typed,
    };
  }
}

/** The first session is `NAME-ID`, later ones have a number. */
const nameOf = (agent: string, task: number, before: number): string =>
  `${agent.slice(0, 48)}-${task}${before === 0 ? "" : `-${before + 1}`}`;
