/**
 * The tables of the hub on PostgreSQL, in the schema `rouse`, as numbered steps that only go forward: a released step is never
 * changed. The same columns as on SQLite; the functions are in `functions.ts`.
 */
import { TASK_STATUSES } from "../task-states.js";
import { FLEET_TABLES } from "./fleet-functions.js";

const STATUSES = TASK_STATUSES.map((status) => `'${status}'`).join(", ");

/** Checkpoints and comments are evidence: they disappear only together with their task. */
const appendOnly = (table: string): string =>
  `create trigger ${table}_kept before update or delete on ${table} for each row execute function append_only();`;

export const STEPS: readonly string[] = [
  // fillfactor: a row that is rewritten often finds room on its own page (HOT), so the table does not grow.
  `create table nodes (
     id text primary key,
     role name not null unique,
     instance text,
     epoch bigint not null default 0,
     version text,
     joined_at timestamptz
   ) with (fillfactor = 50);
   create table transitions (
     operation text not null,
     from_status text not null,
     to_status text not null,
     actor text not null,
     primary key (operation, from_status, actor)
   );
   create table tasks (
     id bigint generated always as identity primary key,
     status text not null check (status in (${STATUSES})),
     title text not null,
     description text not null,
     diagnosis text not null,
     qa text not null,
     check_command jsonb,
     steps jsonb not null,
     project text not null,
     kind text not null,
     stage text not null,
     priority int not null,
     score float8,
     threshold float8,
     cycle int not null,
     parent bigint references tasks on delete set null,
     tags text[] not null,
     blocked_by bigint[] not null,
     workspace text,
     source text,
     source_key text,
     worker text,
     attempts int not null default 0,
     continuations int not null default 0,
     max_continuations int not null,
     last_error text,
     verification text check (verification in ('verified', 'unverified', 'contradicted')),
     result text,
     author text not null,
     fence bigint not null default 0,
     created_at timestamptz not null,
     updated_at timestamptz not null,
     check (continuations <= max_continuations),
     unique (source, source_key)
   ) with (fillfactor = 70);
   create index tasks_queue on tasks (priority desc, id) where status = 'pending';
   create index tasks_by_status on tasks (status, id);
   create index tasks_by_parent on tasks (parent) where parent is not null;
   create table progress (
     id bigint generated always as identity primary key,
     task bigint not null references tasks on delete cascade,
     fence bigint,
     agent_task_name text,
     last_checkpoint timestamptz,
     last_step text,
     completed_steps jsonb not null default '[]',
     status text check (status in ('in_progress', 'stalled', 'completed', 'failed')),
     created_at timestamptz not null,
     updated_at timestamptz not null,
     unique (task, fence)
   ) with (fillfactor = 70);
   create table claims (
     task bigint not null references tasks on delete cascade,
     fence bigint not null,
     node text not null,
     agent text not null,
     session text not null,
     progress_id bigint not null,
     lease_ms bigint not null,
     lease_until timestamptz not null,
     claimed_at timestamptz not null,
     ended text,
     ended_at timestamptz,
     primary key (task, fence)
   ) with (fillfactor = 70);
   create unique index claims_open on claims (task) where ended is null;
   create table checkpoints (
     id bigint generated always as identity primary key,
     task bigint not null,
     fence bigint not null,
     step int,
     text text not null,
     source text not null,
     inferred boolean not null,
     at timestamptz not null,
     key text,
     foreign key (task, fence) references claims on delete cascade,
     unique (task, fence, key)
   );
   create table comments (
     id bigint generated always as identity primary key,
     task bigint not null references tasks on delete cascade,
     fence bigint,
     author text not null,
     node text not null,
     at timestamptz not null,
     text text not null
   );
   create index comments_by_task on comments (task);
   create function append_only() returns trigger language plpgsql as $$
   begin
     if tg_op = 'UPDATE' or exists (select 1 from rouse.tasks where id = old.task) then
       raise exception '% are append-only', tg_table_name;
     end if;
     return old;
   end $$;
   ${appendOnly("checkpoints")}
   ${appendOnly("comments")}
   create table locks (
     project text not null,
     name text not null,
     holder text not null,
     node text not null,
     task bigint,
     fence bigint,
     since timestamptz not null,
     lease_until timestamptz,
     primary key (project, name)
   );
   create table events (
     id bigint generated always as identity primary key,
     at timestamptz not null,
     node text not null,
     author text not null,
     kind text not null,
     task bigint,
     data jsonb not null
   );
   create index events_by_task on events (task, id);
   create index events_by_time on events (at);
   create table inboxes (receiver text primary key, last bigint not null);
   create table messages (
     receiver text not null,
     seq bigint not null,
     key text not null,
     type text not null,
     sender text not null,
     payload jsonb not null,
     at timestamptz not null,
     acked_at timestamptz,
     acked_by text,
     primary key (receiver, seq),
     unique (receiver, key)
   );
   create view agent_progress as
     select id, task as queue_item_id, agent_task_name, last_checkpoint, last_step, completed_steps, status, created_at, updated_at
     from progress;`,
  FLEET_TABLES,
];

export const POSTGRES_SCHEMA: number = STEPS.length;
