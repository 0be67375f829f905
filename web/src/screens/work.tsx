/** Tasks with their steps, checkpoints, claims and continuations. */
import { useEffect, useState } from "preact/hooks";
import { get, Refused } from "../api.js";
import type { Task, TaskDetail } from "../records.js";
import { hashOf, route, setQuery } from "../route.js";
import { age, clock, duration, now } from "../time.js";
import { FilterBox } from "../ui/filter-box.js";
import { words } from "../ui/state.js";

const RELOAD_MS = 5000;
/** With what the user has to decide first. */
const ORDER = ["failed", "blocked", "proposed", "in_progress", "approved", "pending", "done", "rejected"];
const SIGNS: Readonly<Record<string, string>> = {
  failed: "×",
  blocked: "!",
  proposed: "?",
  in_progress: "▶",
  done: "✓",
  rejected: "–",
};

export function Work() {
  const [tasks, setTasks] = useState<Task[] | null>(null);
  const [error, setError] = useState("");
  const { name, query } = route.value;
  useEffect(() => {
    const load = (): void => {
      get<{ tasks: Task[] }>(`/v1/tasks?status=${ORDER.join(",")}`).then(
        (answer) => setTasks(answer.tasks),
        (caught: Error) =>
          setError(caught instanceof Refused && caught.status === 404 ? "This daemon keeps no tasks." : caught.message),
      );
    };
    load();
    const timer = setInterval(() => !document.hidden && load(), RELOAD_MS);
    return () => clearInterval(timer);
  }, []);
  if (error !== "")
    return (
      <main class="page">
        <h1>Work</h1>
        <p class="empty">{error}</p>
      </main>
    );
  if (!tasks)
    return (
      <main class="page">
        <h1>Work</h1>
        <p class="empty">Loading…</p>
      </main>
    );
  const text = (query.q ?? "").toLowerCase();
  const shown = tasks
    .filter(({ status }) => (query.status ? status === query.status : status !== "done" && status !== "rejected"))
    .filter(
      (one) => text === "" || `${one.id} ${one.title} ${one.project} ${one.worker ?? ""}`.toLowerCase().includes(text),
    )
    .sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || b.priority - a.priority || a.id - b.id);
  return (
    <main class="page">
      <h1>Work</h1>
      <div class="chips" role="group" aria-label="Tasks by status">
        {ORDER.filter((status) => tasks.some((one) => one.status === status)).map((status) => (
          <button
            key={status}
            type="button"
            class="chip"
            aria-pressed={query.status === status}
            onClick={() => setQuery({ status: query.status === status ? "" : status })}
          >
            <span class="sign" aria-hidden="true">
              {SIGNS[status] ?? "○"}
            </span>
            <b>{tasks.filter((one) => one.status === status).length}</b> {words(status)}
          </button>
        ))}
      </div>
      <div class="tools">
        <FilterBox of="tasks" />
      </div>
      {tasks.length === 0 ? (
        <p class="empty">
          No tasks. Add one with <code>rouse task add "Title" --step "First step"</code>.
        </p>
      ) : null}
      {tasks.length > 0 && shown.length === 0 ? <p class="empty">No task matches.</p> : null}
      <ul class="tasks">
        {shown.map((task) => (
          <li key={task.id}>
            <TaskRow task={task} isOpen={name === String(task.id)} />
          </li>
        ))}
      </ul>
    </main>
  );
}

function TaskRow({ task, isOpen }: { task: Task; isOpen: boolean }) {
  const { id, title, status, steps, completed_steps, claim, worker } = task;
  const done = completed_steps.length;
  const lease = claim ? (Date.parse(claim.lease_until) - now.value) / 1000 : 0;
  return (
    <article class="task">
      <div class="head">
        <a class="name" href={isOpen ? hashOf("work") : hashOf("work", String(id))} aria-expanded={isOpen}>
          {isOpen ? "▾" : "▸"} #{id} {title}
        </a>
        <span class="badge">
          <span class="sign" aria-hidden="true">
            {SIGNS[status] ?? "○"}
          </span>
          {words(status)}
        </span>
        <span class="grow" />
        {steps.length > 0 ? (
          <>
            <progress value={done} max={steps.length} aria-label={`Steps of task ${id}`} />
            <span class="age">
              {done}/{steps.length}
            </span>
          </>
        ) : null}
      </div>
      <p class="meta">
        {[
          task.project,
          `priority ${task.priority}`,
          claim ? (
            <a key="worker" href={hashOf("agent", claim.agent)}>
              {claim.agent}@{claim.node}
            </a>
          ) : worker ? (
            `last worked on by ${worker}`
          ) : null,
          claim ? (lease > 0 ? `lease ${duration(lease)}` : "lease has expired") : null,
          claim ? `fence ${claim.fence}` : null,
          task.continuations > 0 ? `continuation ${task.continuations} of ${task.max_continuations}` : null,
          task.last_checkpoint ? `last checkpoint ${age(task.last_checkpoint)} ago` : null,
          task.source,
        ]
          .filter(Boolean)
          .map((fact, i) => [i > 0 ? " · " : "", fact])}
      </p>
      {task.last_error ? <p class="bad text">× {task.last_error}</p> : null}
      {isOpen ? <Detail id={id} version={task.updated_at} /> : null}
    </article>
  );
}

function Detail({ id, version }: { id: number; version: string }) {
  const [task, setTask] = useState<TaskDetail | null>(null);
  useEffect(() => {
    const control = new AbortController();
    get<TaskDetail>(`/v1/tasks/${id}`, control.signal).then(setTask, () => {});
    return () => control.abort();
  }, [id, version]);
  if (!task) return <p class="empty">Loading…</p>;
  return (
    <div class="detail">
      {task.description ? <p class="text">{task.description}</p> : null}
      {task.steps.length > 0 ? <h3>Steps</h3> : null}
      <ol>
        {task.steps.map((step, i) => (
          <li key={i}>
            {task.completed_steps.includes(i + 1) ? "✓ " : ""}
            {step}
          </li>
        ))}
      </ol>
      <h3>Checkpoints ({task.checkpoints.length})</h3>
      <ul>
        {task.checkpoints.toReversed().map((one) => (
          <li key={one.id}>
            {clock(one.at)} {one.step ? `step ${one.step}: ` : ""}
            {one.text}{" "}
            <span class="dim">
              ({one.inferred ? "inferred, " : ""}
              {one.source})
            </span>
          </li>
        ))}
      </ul>
      <h3>Claims ({task.claims.length})</h3>
      <ul>
        {task.claims.toReversed().map((one) => (
          <li key={one.fence}>
            fence {one.fence}: {one.agent}@{one.node} from {clock(one.claimed_at)},{" "}
            {one.ended === null ? "held" : `${words(one.ended)}${one.ended_at ? ` at ${clock(one.ended_at)}` : ""}`}
          </li>
        ))}
      </ul>
      {task.comments.length > 0 ? <h3>Comments</h3> : null}
      <ul>
        {task.comments.map((one) => (
          <li key={one.id}>
            {clock(one.at)} {one.author}: {one.text}
          </li>
        ))}
      </ul>
    </div>
  );
}
