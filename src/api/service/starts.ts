/** Starts agents on a client's request, as `rouse spawn` does. The request is recorded before the process starts. */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { presetCommand } from "../../config/presets.js";
import { otherNames } from "../../config/suggest.js";
import { checkAgentLimits } from "../../core/agent-limits.js";
import { rememberBounded } from "../../core/judgement/evidence/bounded.js";
import { redact } from "../../core/text/redact.js";
import { sanitize } from "../../core/text/sanitize.js";
import { isKind, KINDS } from "../../programs/registry.js";
import { findProgram } from "../../terminal/find-program.js";
import { startHost } from "../../terminal/start-host.js";
import type { ControlResult } from "../control-result.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import type { ServiceContext } from "./context.js";
import type { SpawnedAgent, SpawnOrder } from "./spawn-order.js";
import { startForTask } from "./start-for-task.js";

const ANSWERS_MAX = 1000;
/** The host registers with the daemon a moment after the agent runs. */
const REGISTER_MS = 5000;
const STEP_MS = 50;

export class StartService {
  readonly #context: ServiceContext;
  readonly #answers = new Map<string, { order: string; answer: Promise<SpawnedAgent> }>();

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  spawn(client: Identity, { request_id, ...order }: SpawnOrder): Promise<SpawnedAgent> {
    if (request_id === undefined) return this.#start(client, order);
    const key = JSON.stringify([client.name, request_id]);
    const what = JSON.stringify(order);
    const known = this.#answers.get(key);
    if (known && known.order !== what)
      throw new ApiError("bad", `request_id: already used for another request; expected a new one`);
    if (known) return known.answer;
    const answer = this.#start(client, order);
    rememberBounded(this.#answers, key, { order: what, answer }, ANSWERS_MAX);
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }

  async #start(client: Identity, given: Omit<SpawnOrder, "request_id">): Promise<SpawnedAgent> {
    const { loop, orders, paths, effectContext } = this.#context;
    const env = { ...process.env, ...given.env };
    if (given.as !== undefined) {
      if (given.command) this.#check({ ...given, command: given.command }, env);
      return startForTask(this.#context, client, { ...given, as: given.as });
    }
    const order = { ...given, command: commandOf(given) };
    const { command, cwd, name, tags, task, kind, policy, cols, rows } = order;
    this.#check(order, env);
    const script = effectContext.starting?.hostScript;
    if (script === undefined) throw new ApiError("refused", "this daemon cannot start agents");
    const text = command.join(" ");
    const line = orders.begin(client, { action: "spawn", agent: name ?? null, session: null, text });
    const started = await startHost(
      {
        spec: {
          wanted: name ?? null,
          kind: kind ?? null,
          tags,
          task: task === undefined ? null : redact(task),
          policy: policy ?? null,
          command,
          workspace: cwd,
          origin: "spawn",
        },
        cols,
        rows,
      },
      { script, paths, env },
    );
    const { error, name: agent, session, pid } = started;
    const isStarted = agent !== undefined && session !== undefined && pid !== undefined;
    orders.finish(line, isStarted ? "done" : "failed", isStarted ? `${agent}, session ${session}` : (error ?? ""));
    if (!isStarted) throw new ApiError("refused", `the agent was not started: ${sanitize(error ?? "no reason given")}`);
    for (let waited = 0; waited < REGISTER_MS && !loop.find(session); waited += STEP_MS) await sleep(STEP_MS);
    return { agent, session, pid, prompt: await this.#prompt(client, session, order) };
  }

  async #prompt(
    client: Identity,
    id: string,
    { prompt, timeout_secs }: Pick<SpawnOrder, "prompt" | "timeout_secs">,
  ): Promise<ControlResult | null> {
    if (prompt === undefined) return null;
    const session = this.#context.loop.find(id)?.session;
    if (!session)
      return { result: "refused", reason: "the agent has not registered with the daemon yet", proven: null };
    const waitMs = timeout_secs * 1000;
    return this.#context.agentControl.sendInput({ client: client.name, by: client, session }, prompt, { waitMs });
  }

  /** Throws `ApiError` if the order cannot be carried out. */
  #check(
    { command, cwd, name, tags, task, kind, policy }: Omit<SpawnOrder, "request_id"> & { command: string[] },
    env: NodeJS.ProcessEnv,
  ): void {
    const bad = (text: string): never => {
      throw new ApiError("bad", text);
    };
    if (!isAbsolute(cwd) || !isFolder(cwd))
      bad(`cwd: ${JSON.stringify(sanitize(cwd, 80))} is not accepted; expected the absolute path of a folder`);
    const limit = checkAgentLimits({
      ...(name === undefined ? {} : { name }),
      tags,
      task: task ?? null,
      workspace: cwd,
      command,
    });
    if (limit !== null) bad(limit);
    const own = this.#context.profiles.own();
    if (kind !== undefined && !isKind(kind, own)) {
      const kinds = [...KINDS, ...own.map(({ id }) => id)];
      bad(`kind: unknown kind ${JSON.stringify(sanitize(kind, 80))}; ${otherNames(kind, kinds)}`);
    }
    const policies = this.#context.policyNames(cwd);
    if (policy !== undefined && !policies.includes(policy))
      bad(`policy: unknown policy ${JSON.stringify(sanitize(policy, 80))}; ${otherNames(policy, policies)}`);
    const [file = ""] = command;
    const found = findProgram(file, env, cwd);
    if (found !== "found")
      bad(`command: ${JSON.stringify(sanitize(file, 80))} ${found === "missing" ? "was not found" : "cannot be run"}`);
  }
}

/** The command to run. Throws `ApiError` if there is none. */
function commandOf({ command, preset }: Pick<SpawnOrder, "command" | "preset">): string[] {
  if (preset === undefined) {
    if (command) return command;
    throw new ApiError("bad", "command: missing; expected a program and its arguments, or a preset");
  }
  const found = presetCommand(preset, command ?? []);
  if ("problem" in found) throw new ApiError("bad", `preset: ${sanitize(found.problem)}`);
  return found.command;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
