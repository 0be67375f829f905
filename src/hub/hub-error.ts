/** Everything a hub can refuse, each with one message: what was wrong, and what to do. The stores return code and details only. */
import { statusesFor, type TaskOperation } from "./task-states.js";

/** Returned by a store instead of a result. Times are texts in ISO 8601. */
export type Refusal =
  | { code: "unknown_task"; task: number }
  | { code: "unknown_parent"; task: number }
  | { code: "unknown_blocker"; task: number }
  | { code: "circle"; task: number; other: number }
  | { code: "not_possible"; task: number; operation: TaskOperation; status: string }
  | { code: "not_permitted"; task: number; operation: TaskOperation; actor: string }
  | { code: "changed"; task: number; status: string; child: number | null }
  | { code: "waits"; task: number; waitsFor: readonly number[] }
  | { code: "held"; task: number; agent: string; node: string; until: string }
  | { code: "stale_fence"; task: number; fence: number; ended: string | null; current: number; agent: string | null }
  | { code: "step_out_of_range"; task: number; step: number; steps: number }
  | { code: "continuations_used"; task: number; used: number }
  | { code: "unverified"; task: number; verification: string | null }
  | { code: "lock_held"; project: string; name: string; holder: string; node: string; since: string }
  | { code: "node_taken"; node: string }
  | { code: "no_node"; role: string }
  | { code: "not_taken_over"; task: number; node: string; reason: string }
  | { code: "stale_run"; node: string; run: number; current: number }
  | { code: "holds_tasks"; node: string; tasks: readonly number[] }
  | { code: "unknown_node"; node: string }
  | { code: "node_lost"; node: string; since: string }
  | { code: "unknown_command"; id: string };

export type HubErrorCode =
  | Refusal["code"]
  | "invalid" // input that no store would take
  | "bad_url"
  | "unreachable"
  | "wrong_password"
  | "no_database"
  | "tls"
  | "not_initialized"
  | "server_too_old"
  | "schema_older"
  | "schema_newer"
  | "read_only"
  | "forbidden"
  | "busy"
  | "storage" // a local file that cannot be opened or written
  | "closed";

/** The message is for users. `retryable`: the same call can succeed later. */
export class HubError extends Error {
  readonly code: HubErrorCode;
  readonly details: Refusal | null;
  constructor(code: HubErrorCode, message: string, options: { details?: Refusal; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "HubError";
    this.code = code;
    this.details = options.details ?? null;
  }

  get retryable(): boolean {
    return this.code === "unreachable" || this.code === "read_only" || this.code === "busy";
  }
}

export function refusalError(refusal: Refusal): HubError {
  return new HubError(refusal.code, messageFor(refusal), { details: refusal });
}

function messageFor(refusal: Refusal): string {
  switch (refusal.code) {
    case "unknown_task":
      return `no task ${refusal.task}; see \`rouse task list\``;
    case "unknown_parent":
      return `the parent task ${refusal.task} does not exist`;
    case "unknown_blocker":
      return `task ${refusal.task} in blocked-by does not exist`;
    case "circle":
      return `task ${refusal.task} cannot be blocked by task ${refusal.other}: task ${refusal.other} waits for task ${refusal.task} itself`;
    case "not_possible":
      return `task ${refusal.task} is ${refusal.status}; ${refusal.operation} needs a task that is ${listed(statusesFor(refusal.operation))}`;
    case "not_permitted":
      return `${refusal.operation} of task ${refusal.task} is not permitted to ${refusal.actor}`;
    case "changed":
      return `task ${refusal.task} has changed: it is ${refusal.status}${refusal.child === null ? "" : ` and has the job ${refusal.child}`}`;
    case "waits":
      return `task ${refusal.task} is blocked by task ${refusal.waitsFor.join(", ")}, not done yet`;
    case "held":
      return `task ${refusal.task} is claimed by ${refusal.agent} on ${refusal.node} until ${refusal.until}`;
    case "stale_fence":
      return staleText(refusal);
    case "step_out_of_range":
      return `task ${refusal.task} has no step ${refusal.step}; its steps are 1 to ${refusal.steps}`;
    case "continuations_used":
      return `task ${refusal.task} has used ${refusal.used} continuations already; the maximum cannot be lower`;
    case "unverified":
      return `task ${refusal.task} has a check and is closed as done only if it passes; the result was ${refusal.verification ?? "missing"}`;
    case "lock_held":
      return `the lock ${refusal.name} of project ${refusal.project || "(none)"} is held by ${refusal.holder} on ${refusal.node} since ${refusal.since}`;
    case "node_taken":
      return `the node name ${refusal.node} is used by another installation: choose another name (ROUSE_NODE, or \`rouse fleet join NAME\`)`;
    case "not_taken_over":
      return `task ${refusal.task} of node ${refusal.node} is not taken over now: ${refusal.reason}`;
    case "stale_run":
      return `another daemon writes for the node ${refusal.node} (run ${refusal.current}, this one is run ${refusal.run}): stop one of the two`;
    case "holds_tasks":
      return `the node ${refusal.node} holds task ${refusal.tasks.join(", ")}: finish or release it first, or use --release to offer it to other nodes`;
    case "unknown_node":
      return `no node ${refusal.node} in this fleet; see \`rouse fleet list\``;
    case "node_lost":
      return `the node ${refusal.node} cannot be reached since ${refusal.since}`;
    case "unknown_command":
      return `no command ${refusal.id}`;
    case "no_node":
      return `the login ${refusal.role} is not a node of this hub: join it first (\`rouse fleet join\`)`;
  }
}

function staleText({ task, fence, ended, current, agent }: Refusal & { code: "stale_fence" }): string {
  const held = agent === null ? "it is not held now" : `${agent} holds it now (claim ${current})`;
  return `claim ${fence} of task ${task} has ended (${ended ?? "unknown claim"}), and its writes are refused; ${held}`;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
