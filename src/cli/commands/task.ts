/** `rouse task`: the queue of work. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command, OptionValues } from "@commander-js/extra-typings";
import { DECISIONS } from "../../api/operations/decisions.js";
import type { TaskView } from "../../api/service/task-views.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { HubError } from "../../hub/hub-error.js";
import { BadInput, whyUnreadable } from "../../replay/bad-input.js";
import { parseTaskText } from "../../work/task-file.js";
import { parseNamed } from "../arguments.js";
import { call, type OperationInput } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { taskDocument } from "../task-document.js";
import {
  collectTags,
  collectTexts,
  parseCheck,
  parseIds,
  parseNumber,
  parseTaskId,
  parseWhole,
} from "../task-options.js";
import { localTime } from "../text/incident.js";
import { tasksText, taskText } from "../text/task.js";
import { foldText } from "../text/width.js";

const FORK_LIMIT_MS = 5 * 60_000;
const FILE_MAX = 1024 * 1024;
/** Commands that close, stop or restart work, with their help. A text is the error, for `done` the result. */
const DECISION_HELP: Readonly<Record<(typeof DECISIONS)[number], string>> = {
  approve: "Accept a proposal, without offering it to agents yet",
  queue: "Offer a proposal to agents",
  reject: "Decide that a task will not be done",
  block: "Stop work on a task until you unblock it",
  unblock: "Offer a blocked task again",
  done: "Close a task as done",
  fail: "Close a task as failed",
  reopen: "Offer a closed task again",
  release: "Give a claimed task back",
};

export function addTask(program: Command, _setExit: (code: number) => void): void {
  const task = program
    .command("task")
    .summary("Add, list, claim and close tasks")
    .description(
      "Manage the queue of work. An agent that claims a task reports checkpoints; if it stops, a continuation takes the task\n" +
        "over at its last checkpoint. Inside an agent, commands about a task mean the agent's own.",
    )
    .hook("preAction", startForUser);
  addReading(task);
  addWriting(task);
  addClaiming(task);
  for (const decision of DECISIONS) addDecision(task, decision);
  addLocks(task);
}

/** An agent's command starts no daemon: the user may have stopped it. */
async function startForUser(): Promise<void> {
  if (!process.env.ROUSE_SESSION && process.env.ROUSE_DAEMON !== "off") await ensureDaemon();
}

function addReading(task: Command): void {
  task
    .command("list")
    .summary("List open tasks, highest priority first")
    .option("--status <list>", "statuses, separated by commas (default: all open ones)")
    .option("--all", "include done, failed and rejected tasks")
    .option("--project <name>", "only this project")
    .option("--kind <kind>", "only this kind")
    .option("--stage <stage>", "only this stage")
    .option("--tag <tag>", "only tasks with this tag; repeatable", collectTags)
    .option("--json", "print JSON")
    .action(async ({ status, all, tag, json, ...filter }) => {
      const wanted = all ? { status: ALL } : status === undefined ? {} : { status };
      const found = await call("tasks", {
        ...filter,
        ...wanted,
        ...(tag ? { tags: tag } : {}),
      } as OperationInput<"tasks">);
      if (json) return void process.stdout.write(`${sanitizedJson(found)}\n`);
      const none = "No tasks. Add one with `rouse task add TITLE` or `rouse task add --file FILE`.\n";
      process.stdout.write(found.tasks.length === 0 ? none : tasksText(found.tasks, process.stdout));
    });
  task
    .command("show")
    .summary("Show a task: steps, checkpoints, claims, comments")
    .argument("<id>", "number of the task", parseTaskId)
    .option("--json", "print JSON")
    .action(async (id, { json }) => {
      const found = await call("task", { task: id });
      process.stdout.write(json ? `${sanitizedJson(found)}\n` : taskText(found, process.stdout));
    });
}

const ALL = "proposed,approved,pending,in_progress,blocked,done,failed,rejected";

function addWriting(task: Command): void {
  withFields(
    task
      .command("add")
      .summary("Add a task: title, Markdown or JSON file, or standard input")
      .description(
        "Add a task. A Markdown file gives the title (first heading), description, steps (a checklist), and the sections\n" +
          "Diagnosis and QA requirements; options override it. --file - reads standard input.",
      )
      .argument("[title...]", "title of the task")
      .option("--file <file>", "a Markdown or JSON file; - is standard input")
      .option("--proposed", "add it as a proposal that has to be approved"),
  )
    .option("--json", "print JSON")
    .action(async (title, { file, proposed, json, ...options }) => {
      const read = file === undefined ? {} : readTask(file);
      const given = fieldsOf(options);
      const input = { ...read, ...given, ...(title.length > 0 ? { title: title.join(" ") } : {}) };
      if (!("title" in input)) throw new BadInput("title: missing; give a title or --file");
      const status = proposed ? ({ status: "proposed" } as const) : {};
      const added = await call("add_task", { ...input, ...status } as OperationInput<"add_task">);
      printTask(added, json, `Added task ${added.id} (${added.status}): ${sanitize(added.title, 200)}\n`);
    });
  withFields(
    task
      .command("edit")
      .summary("Change fields of a task")
      .argument("<id>", "number of the task", parseTaskId)
      .option("--title <title>", "title"),
  )
    .option("--json", "print JSON")
    .action(async (id, { title, json, ...options }, self) => {
      const changes = { ...fieldsOf(options), ...(title === undefined ? {} : { title }) };
      if (Object.keys(changes).length === 0) self.error("error: name at least one field to change", { exitCode: 2 });
      const edited = await call("edit_task", { task: id, ...changes } as OperationInput<"edit_task">);
      printTask(edited, json, `Changed task ${id}: ${Object.keys(changes).join(", ")}.\n`);
    });
  task
    .command("comment")
    .summary("Comment on a task; the holder's comments count as progress")
    .argument("<id>", "number of the task", parseTaskId)
    .argument("<text...>", "the comment")
    .option("--json", "print JSON")
    .action(async (id, words, { json }) => {
      const comment = await call("comment_task", { task: id, text: words.join(" ") });
      process.stdout.write(json ? `${sanitizedJson(comment)}\n` : `Commented on task ${id}.\n`);
    });
}

function addClaiming(task: Command): void {
  task
    .command("fork")
    .summary("Start a second attempt from an earlier checkpoint")
    .description(
      "Start a second attempt of a task: a new task with a branch and a worktree of its own, with the files as they were when\n" +
        "tests last passed before the checkpoint. The first attempt stays as it is.",
    )
    .argument("<id>", "number of the task", parseTaskId)
    .requiredOption("--at <checkpoint>", "number of the checkpoint, from `rouse task show`", parseTaskId)
    .option("--json", "print JSON")
    .action(async (id, { at, json }) => {
      const forked = await call("fork_task", { task: id, at }, FORK_LIMIT_MS);
      printTask(
        forked,
        json,
        `Added task ${forked.id}, a second attempt of task ${id}, in ${sanitize(forked.workspace ?? "", 400)}\n`,
      );
    });
  task
    .command("next")
    .summary("Show the task that would be claimed next, or claim it")
    .option("--claim", "claim it")
    .option("--name <agent>", "agent that works on it (default: the agent this runs in)", parseNamed)
    .option("--project <name>", "only this project")
    .option("--kind <kind>", "only this kind")
    .option("--stage <stage>", "only this stage")
    .option("--tag <tag>", "only tasks with this tag; repeatable", collectTags)
    .option("--json", "print JSON")
    .action(async ({ claim, name, tag, json, ...filter }, self) => {
      if (name !== undefined && !claim) self.error("error: --name requires --claim", { exitCode: 2 });
      const wanted = { ...filter, ...(tag ? { tags: tag } : {}) };
      if (claim)
        return printClaimed(
          await call("claim_task", { ...wanted, ...ofAgent(name) } as OperationInput<"claim_task">),
          json,
        );
      const found = await call("next_task", wanted as OperationInput<"next_task">);
      if (json) return void process.stdout.write(`${sanitizedJson(found)}\n`);
      const head = found.task === null ? NONE : `#${found.task.id}  ${sanitize(found.task.title, 400)}\n`;
      const why = found.reasons.map((reason) => foldText(`  ${reason}\n`, process.stdout)).join("");
      process.stdout.write(`${head}${why}`);
    });
  task
    .command("claim")
    .summary("Claim a task for an agent")
    .argument("<id>", "number of the task", parseTaskId)
    .option("--name <agent>", "agent that works on it (default: the agent this runs in)", parseNamed)
    .option("--json", "print JSON")
    .action(async (id, { name, json }) => {
      printClaimed(await call("claim_task", { task: id, ...ofAgent(name) }), json);
    });
}

const NONE = "No task is ready.\n";
const ofAgent = (name: string | undefined): { agent?: string } => (name === undefined ? {} : { agent: name });

function printClaimed(
  claimed: { task: TaskView | null; claim: { agent: string } | null; is_continuation: boolean },
  json: true | undefined,
): void {
  const { task, claim, is_continuation } = claimed;
  if (json) return void process.stdout.write(`${sanitizedJson(claimed)}\n`);
  if (task === null || claim === null) return void process.stdout.write(NONE);
  const rest = is_continuation ? " It was worked on before: see its checkpoints with `rouse task show`." : "";
  process.stdout.write(
    foldText(
      `Task ${task.id} is claimed by ${sanitize(claim.agent, 80)}: ${sanitize(task.title, 300)}.${rest}\n`,
      process.stdout,
    ),
  );
}

function addDecision(task: Command, decision: (typeof DECISIONS)[number]): void {
  const isDone = decision === "done";
  task
    .command(decision)
    .summary(DECISION_HELP[decision])
    .argument("<id>", "number of the task", parseTaskId)
    .argument("[text...]", isDone ? "the result" : "the reason")
    .option("--json", "print JSON")
    .action(async (id, words, { json }) => {
      const text = words.join(" ");
      const about = text === "" ? {} : isDone ? { result: text } : { error: text };
      const answer = process.env.ROUSE_SESSION
        ? report(id, decision, text)
        : call("decide_task", { task: id, decision, ...about });
      const changed = await (isDone ? whileChecked(id, answer) : answer);
      printTask(changed, json, `Task ${id} is ${changed.status}.\n`);
    });
}

const CHECK_NOTICE_MS = 2000;

/** A check may take minutes. */
async function whileChecked<T>(task: number, answer: Promise<T>): Promise<T> {
  const notice = setTimeout(
    () => process.stderr.write(`rouse: waiting for the check of task ${task}\n`),
    CHECK_NOTICE_MS,
  );
  return answer.finally(() => clearTimeout(notice));
}

/** Inside an agent: about the task that it holds. */
function report(task: number, decision: (typeof DECISIONS)[number], text: string): Promise<TaskView> {
  if (decision === "release") return call("release_task", { task, ...(text === "" ? {} : { reason: text }) });
  if (decision === "done")
    return call("finish_task", { task, outcome: "done", ...(text === "" ? {} : { result: text }) });
  if (decision === "fail" || decision === "block")
    return call("finish_task", {
      task,
      outcome: decision === "fail" ? "failed" : "blocked",
      ...(text === "" ? {} : { error: text }),
    });
  return call("decide_task", { task, decision });
}

function addLocks(task: Command): void {
  task
    .command("locks")
    .summary("List the named locks of pipelines, or release one")
    .option("--project <name>", "only this project")
    .option("--release <name>", "release this lock of the project")
    .option("--json", "print JSON")
    .action(async ({ project, release, json }, self) => {
      if (release !== undefined) {
        if (project === undefined) return self.error("error: --release requires --project", { exitCode: 2 });
        const answer = await call("release_lock", { project, name: release });
        const text = answer.released ? `Released the lock ${release}.\n` : `The lock ${release} is not held.\n`;
        return void process.stdout.write(json ? `${sanitizedJson(answer)}\n` : `${sanitize(text, 300)}\n`);
      }
      const found = await call("locks", project === undefined ? {} : { project });
      if (json) return void process.stdout.write(`${sanitizedJson(found)}\n`);
      if (found.locks.length === 0) return void process.stdout.write("No locks are held.\n");
      for (const { project: of, name, holder, node, since } of found.locks)
        process.stdout.write(
          `${sanitize(of, 80)} ${sanitize(name, 80)}: held by ${sanitize(holder, 80)}@${sanitize(node, 80)} since ${localTime(since, Date.now())}\n`,
        );
    });
}

function printTask(task: TaskView, json: true | undefined, text: string): void {
  process.stdout.write(json ? `${sanitizedJson(task)}\n` : foldText(text, process.stdout));
}

interface FieldOptions {
  description?: string | undefined;
  diagnosis?: string | undefined;
  qa?: string | undefined;
  cycle?: number | undefined;
  step?: string[] | undefined;
  priority?: number | undefined;
  project?: string | undefined;
  kind?: string | undefined;
  stage?: string | undefined;
  tag?: string[] | undefined;
  parent?: number | undefined;
  blockedBy?: number[] | undefined;
  workspace?: string | undefined;
  score?: number | undefined;
  threshold?: number | undefined;
  check?: string[] | null | undefined;
  maxContinuations?: number | undefined;
}

const withFields = <Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) =>
  command
    .option("--description <text>", "description")
    .option("--diagnosis <text>", "what is known about the cause")
    .option("--qa <text>", "QA requirements")
    .option("--step <text>", "a step; repeatable, in order", collectTexts)
    .option("--priority <number>", "higher is first; 0 for a new task", parseWhole)
    .option("--project <name>", "project")
    .option("--kind <kind>", "kind of work, such as build or scout")
    .option("--stage <stage>", "stage of its pipeline")
    .option("--tag <tag>", "a tag; repeatable", collectTags)
    .option("--parent <id>", "the task that it belongs to, such as the proposal that it builds", parseTaskId)
    .option("--blocked-by <ids>", "tasks that have to be done first, separated by commas", parseIds)
    .option("--workspace <folder>", "folder in which it is worked on")
    .option("--score <number>", "score of a proposal", parseNumber)
    .option("--threshold <number>", "score that makes a proposal viable", parseNumber)
    .option("--cycle <number>", "cycle of its pipeline in which it was made", parseWhole)
    .option("--check <command>", 'command that verifies the work, such as "npm test"; no shell; "none"', parseCheck)
    .option("--max-continuations <count>", "continuations before it fails; 2 for a new task", parseWhole);

/** The fields that were given, by the names of the API. */
function fieldsOf({
  step,
  tag,
  blockedBy,
  maxContinuations,
  workspace,
  ...same
}: FieldOptions): Record<string, unknown> {
  const all = {
    ...same,
    steps: step,
    tags: tag,
    blocked_by: blockedBy,
    max_continuations: maxContinuations,
    workspace: workspace === undefined ? undefined : resolve(workspace),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** The fields that a file gives. */
function readTask(file: string): Record<string, unknown> {
  const name = file === "-" ? "the input" : file;
  let text: string;
  try {
    text = readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    throw new BadInput(whyUnreadable(name, error));
  }
  if (text.length > FILE_MAX)
    throw new BadInput(`${name} has ${text.length} characters; a task has at most ${FILE_MAX}`);
  try {
    return taskDocument(parseTaskText(text, name));
  } catch (error) {
    throw error instanceof HubError ? new BadInput(error.message) : error;
  }
}
