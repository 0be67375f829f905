/**
 * The functions of the hub on PostgreSQL: everything that a node may do. A node has no right on a table. Each function takes the
 * node from `session_user`, so a node cannot write in the name of another, and all times from the database.
 *
 * `clock_timestamp()`, not `now()`: after a wait for a lock, `now()` would grant a lease in the past. Locks are taken in one order,
 * task before claim before progress, so that no two calls wait for each other.
 */
import { CLAIM_OPERATIONS } from "../task-states.js";
import { FLEET_RULES, fleetOperations } from "./fleet-functions.js";

const INTERNAL = `
create or replace function clock() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;

create or replace function ms(at timestamptz) returns bigint language sql immutable as
  $$ select floor(extract(epoch from at) * 1000)::bigint $$;

create or replace function iso(at timestamptz) returns text language sql stable as
  $$ select to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

create or replace function refusal(code text, details jsonb) returns jsonb language sql immutable as
  $$ select jsonb_build_object('refused', jsonb_build_object('code', code) || details) $$;

create or replace function me() returns text language plpgsql stable as $$
declare node text;
begin
  -- A replica lags: what it says about claims is no basis for a decision.
  if pg_is_in_recovery() then raise exception using errcode = '25006', message = 'the database is a read-only replica'; end if;
  select id into node from nodes where role = session_user and left_at is null;
  if node is null then raise exception using errcode = 'RH001', message = session_user::text; end if;
  return node;
end $$;

create or replace function texts(list jsonb) returns text[] language sql immutable as
  $$ select array(select jsonb_array_elements_text(list)) $$;

create or replace function ids(list jsonb) returns bigint[] language sql immutable as
  $$ select array(select jsonb_array_elements_text(list)::bigint) $$;

create or replace function undone(blockers bigint[]) returns bigint[] language plpgsql stable as $$
begin
  if blockers = '{}' then return blockers; end if;
  return array(select id from tasks where id = any(blockers) and status <> 'done' order by id);
end $$;

create or replace function claim_json(c claims) returns jsonb language sql stable as $$
  select jsonb_build_object('task', c.task, 'fence', c.fence, 'node', c.node, 'agent', c.agent, 'session', c.session,
    'leaseMs', c.lease_ms, 'leaseUntil', ms(c.lease_until), 'claimedAt', ms(c.claimed_at), 'progressId', c.progress_id,
    'ended', c.ended, 'endedAt', ms(c.ended_at)) $$;

create or replace function checkpoint_json(c checkpoints) returns jsonb language sql stable as $$
  select jsonb_build_object('id', c.id, 'task', c.task, 'fence', c.fence, 'step', c.step, 'text', c.text, 'source', c.source,
    'inferred', c.inferred, 'at', ms(c.at)) $$;

create or replace function comment_json(c comments) returns jsonb language sql stable as $$
  select jsonb_build_object('id', c.id, 'task', c.task, 'fence', c.fence, 'author', c.author, 'node', c.node, 'at', ms(c.at),
    'text', c.text) $$;

create or replace function progress_json(p progress) returns jsonb language sql stable as $$
  select jsonb_build_object('id', p.id, 'task', p.task, 'fence', p.fence, 'agentTaskName', p.agent_task_name,
    'lastCheckpoint', ms(p.last_checkpoint), 'lastStep', p.last_step, 'completedSteps', p.completed_steps, 'status', p.status,
    'createdAt', ms(p.created_at), 'updatedAt', ms(p.updated_at)) $$;

create or replace function lock_json(l locks) returns jsonb language sql stable as $$
  select jsonb_build_object('project', l.project, 'name', l.name, 'holder', l.holder, 'node', l.node, 'task', l.task,
    'fence', l.fence, 'since', ms(l.since), 'leaseUntil', ms(l.lease_until)) $$;

create or replace function message_json(m messages) returns jsonb language sql stable as $$
  select jsonb_build_object('receiver', m.receiver, 'seq', m.seq, 'key', m.key, 'type', m.type, 'sender', m.sender,
    'payload', m.payload, 'at', ms(m.at), 'ackedAt', ms(m.acked_at), 'ackedBy', m.acked_by) $$;

create or replace function summary_json(t tasks) returns jsonb language plpgsql stable as $$
declare c claims; p progress;
begin
  select * into c from claims where task = t.id and ended is null;
  select * into p from progress where task = t.id order by fence desc limit 1;
  -- A function takes at most 100 arguments.
  return jsonb_build_object('id', t.id, 'status', t.status, 'title', t.title, 'check', t.check_command, 'steps', t.steps,
      'project', t.project, 'kind', t.kind, 'stage', t.stage, 'priority', t.priority, 'score', t.score, 'threshold', t.threshold,
      'cycle', t.cycle, 'parent', t.parent, 'tags', t.tags, 'blockedBy', t.blocked_by, 'workspace', t.workspace,
      'source', t.source, 'sourceKey', t.source_key, 'worker', t.worker)
    || jsonb_build_object('attempts', t.attempts, 'continuations', t.continuations, 'maxContinuations', t.max_continuations,
      'lastError', t.last_error, 'verification', t.verification, 'result', t.result, 'author', t.author,
      'createdAt', ms(t.created_at), 'updatedAt', ms(t.updated_at), 'fence', t.fence,
      'claim', case when c.task is not null then claim_json(c) end,
      'completedSteps', coalesce(p.completed_steps, '[]'), 'lastCheckpoint', ms(p.last_checkpoint), 'lastStep', p.last_step,
      'waitsFor', undone(t.blocked_by));
end $$;

create or replace function task_json(t tasks) returns jsonb language sql stable as $$
  select summary_json(t) || jsonb_build_object('description', t.description, 'diagnosis', t.diagnosis, 'qa', t.qa) $$;

create or replace function task_json(task_id bigint) returns jsonb language plpgsql stable as $$
declare t tasks;
begin
  select * into t from tasks where id = task_id;
  return case when found then task_json(t) end;
end $$;

create or replace function add_event(event_kind text, task_id bigint, event_author text, details jsonb) returns void
language plpgsql as $$
begin
  insert into events (at, node, author, kind, task, data)
  values (clock(), coalesce((select id from nodes where role = session_user), ''), event_author, event_kind, task_id,
    jsonb_strip_nulls(details));
end $$;

-- The refusal of a transition; null if it is possible.
create or replace function check_transition(t tasks, op text, who text) returns jsonb language plpgsql stable as $$
begin
  if exists (select 1 from transitions where operation = op and from_status = t.status and actor = who) then return null; end if;
  if exists (select 1 from transitions where operation = op and from_status = t.status) then
    return refusal('not_permitted', jsonb_build_object('task', t.id, 'operation', op, 'actor', who));
  end if;
  return refusal('not_possible', jsonb_build_object('task', t.id, 'operation', op, 'status', t.status));
end $$;

create or replace function held_by(c claims) returns jsonb language sql stable as $$
  select refusal('held', jsonb_build_object('task', c.task, 'agent', c.agent, 'node', c.node, 'until', iso(c.lease_until))) $$;

-- Why this node cannot write with this fence.
create or replace function claim_refusal(task_id bigint, fence_no bigint) returns jsonb language plpgsql stable as $$
declare t tasks; c claims; holder claims;
begin
  select * into t from tasks where id = task_id;
  if not found then return refusal('unknown_task', jsonb_build_object('task', task_id)); end if;
  select * into c from claims where task = task_id and fence = fence_no;
  if c.task is not null and c.ended is null then return held_by(c); end if;
  select * into holder from claims where task = task_id and ended is null;
  return refusal('stale_fence', jsonb_build_object('task', task_id, 'fence', fence_no, 'ended', c.ended, 'current', t.fence,
    'agent', holder.agent));
end $$;

create or replace function step_refusal(t tasks, step int) returns jsonb language plpgsql stable as $$
declare steps int := jsonb_array_length(t.steps);
begin
  if step is null or step = 0 or steps = 0 or step <= steps then return null; end if;
  return refusal('step_out_of_range', jsonb_build_object('task', t.id, 'step', step, 'steps', steps));
end $$;

-- The caller holds the lock on the claim. A report is a sign of life too: it renews the lease.
create or replace function record_checkpoint(c claims, step_no int, body text, origin text, is_inferred boolean,
    reported timestamptz, key_text text) returns jsonb language plpgsql as $$
declare made checkpoints; right_now timestamptz := clock();
  own timestamptz := greatest(c.claimed_at, least(coalesce(reported, right_now), right_now));
begin
  if key_text is not null then
    select * into made from checkpoints where task = c.task and fence = c.fence and key = key_text;
    if found then return checkpoint_json(made); end if;
  end if;
  insert into checkpoints (task, fence, step, text, source, inferred, at, key)
    values (c.task, c.fence, step_no, body, origin, is_inferred, own, key_text) returning * into made;
  if not is_inferred then
    update claims set lease_until = greatest(lease_until, right_now + lease_ms * interval '1 ms')
      where task = c.task and fence = c.fence;
  end if;
  update progress set last_checkpoint = greatest(last_checkpoint, own), updated_at = right_now, last_step = body,
    completed_steps = case when step_no > 0 and not completed_steps @> to_jsonb(step_no)
      then (select jsonb_agg(s order by s) from (select jsonb_array_elements_text(completed_steps)::int s union select step_no) all_steps)
      else completed_steps end
    where id = c.progress_id;
  return checkpoint_json(made);
end $$;

-- Its locks go with it.
create or replace function end_claim(c claims, how text, next_status text) returns void language plpgsql as $$
begin
  update claims set ended = how, ended_at = clock() where task = c.task and fence = c.fence;
  delete from locks where task = c.task and fence = c.fence;
  update progress set updated_at = clock(),
    status = case next_status when 'done' then 'completed' when 'failed' then 'failed' when 'blocked' then 'failed' else 'stalled' end
    where id = c.progress_id;
end $$;

-- The claim writes checkpoint 0, so that a crash before the first report loses nothing. The caller holds the lock on the task.
create or replace function begin_claim(t tasks, node_id text, args jsonb, kind text) returns jsonb language plpgsql as $$
declare c claims; row_id bigint; before progress; right_now timestamptz := clock();
  worker_name text := args->>'agent'; task_name text := (args->>'agent') || '-' || t.id;
begin
  update tasks set fence = t.fence + 1, status = 'in_progress', worker = worker_name, attempts = attempts + 1, updated_at = right_now
    where id = t.id;
  select * into before from progress where task = t.id order by fence desc limit 1;
  if before.fence is null then
    update progress set fence = t.fence + 1, agent_task_name = task_name, status = 'in_progress', last_checkpoint = right_now,
      updated_at = right_now where id = before.id returning id into row_id;
  else
    -- A continuation starts at what its predecessor did last.
    insert into progress (task, fence, agent_task_name, last_checkpoint, last_step, completed_steps, status, created_at, updated_at)
      values (t.id, t.fence + 1, task_name, right_now, before.last_step, before.completed_steps, 'in_progress', right_now, right_now)
      returning id into row_id;
  end if;
  insert into claims (task, fence, node, agent, session, progress_id, lease_ms, lease_until, claimed_at)
    values (t.id, t.fence + 1, node_id, worker_name, args->>'session', row_id, (args->>'leaseMs')::bigint,
      right_now + (args->>'leaseMs')::bigint * interval '1 ms', right_now)
    returning * into c;
  insert into checkpoints (task, fence, step, text, source, inferred, at)
    values (t.id, c.fence, 0, 'Claimed', 'claim', false, right_now);
  perform add_event(kind, t.id, worker_name, jsonb_build_object('fence', c.fence, 'session', c.session, 'reason', args->>'reason'));
  return jsonb_build_object('task', task_json(t.id), 'claim', claim_json(c), 'isContinuation', t.continuations > 0);
end $$;

-- The refusal; null if the status was changed.
create or replace function close_task(t tasks, next_status text, args jsonb) returns jsonb language plpgsql as $$
begin
  if next_status = 'done' and (t.check_command is not null or coalesce((args->>'mustBeVerified')::boolean, false))
      and args->>'verification' is distinct from 'verified' then
    if args->>'verification' is not null then
      update tasks set verification = args->>'verification', last_error = coalesce(args->>'error', last_error), updated_at = clock()
        where id = t.id;
      perform add_event('check', t.id, 'rouse', jsonb_build_object('verification', args->>'verification', 'error', args->>'error'));
    end if;
    return refusal('unverified', jsonb_build_object('task', t.id, 'verification', args->>'verification'));
  end if;
  update tasks set status = next_status, last_error = coalesce(args->>'error', last_error),
    result = coalesce(args->>'result', result), verification = coalesce(args->>'verification', verification), updated_at = clock()
    where id = t.id;
  return null;
end $$;

-- Whether a continuation was left; if not, the task failed.
create or replace function use_continuation(task_id bigint, reason text) returns boolean language plpgsql as $$
begin
  update tasks set continuations = continuations + 1 where id = task_id and continuations < max_continuations;
  if found then return true; end if;
  update tasks set status = 'failed', last_error = reason, updated_at = clock() where id = task_id;
  return false;
end $$;

create or replace function offer_again(c claims, how text, reason text) returns text language plpgsql as $$
declare is_left boolean := use_continuation(c.task, reason);
begin
  if is_left then update tasks set status = 'pending', updated_at = clock() where id = c.task; end if;
  perform end_claim(c, how, case when is_left then 'pending' else 'failed' end);
  perform add_event(case when is_left then how else 'fail' end, c.task, 'rouse', jsonb_build_object('fence', c.fence, 'reason', reason));
  return case when is_left then 'offered' else 'failed' end;
end $$;

create or replace function matches(t tasks, args jsonb) returns boolean language sql immutable as $$
  select (args->>'project' is null or t.project = args->>'project')
    and (args->>'kind' is null or t.kind = args->>'kind')
    and (args->>'stage' is null or t.stage = args->>'stage')
    and (args->'tags' = '[]' or t.tags @> texts(args->'tags')) $$;

-- Parent and blockers have to exist, and no task may wait for itself. One such check at a time, until its transaction ends.
create or replace function reference_refusal(task_id bigint, args jsonb) returns jsonb language plpgsql as $$
declare blocker bigint;
begin
  if (args->>'parent')::bigint is not null and not exists (select 1 from tasks where id = (args->>'parent')::bigint) then
    return refusal('unknown_parent', jsonb_build_object('task', (args->>'parent')::bigint));
  end if;
  if jsonb_array_length(coalesce(args->'blockedBy', '[]')) = 0 then return null; end if;
  perform pg_advisory_xact_lock(hashtext('rouse.blocked_by'));
  foreach blocker in array ids(args->'blockedBy') loop
    if not exists (select 1 from tasks where id = blocker) then
      return refusal('unknown_blocker', jsonb_build_object('task', blocker));
    end if;
    if task_id is not null and exists (
      with recursive chain (id) as (
        select blocker union select b from chain, tasks t, unnest(t.blocked_by) b where t.id = chain.id)
      select 1 from chain where id = task_id) then
      return refusal('circle', jsonb_build_object('task', task_id, 'other', blocker));
    end if;
  end loop;
  return null;
end $$;

-- An UPDATE of agent_progress by an agent is a checkpoint.
create or replace function agent_progress_update() returns trigger language plpgsql security definer set search_path = rouse, pg_temp
as $$
declare p progress; c claims; t tasks; steps int; added int; body text := left(coalesce(new.last_step, ''), 4000);
begin
  if (new.id, new.queue_item_id, new.agent_task_name, new.created_at)
    is distinct from (old.id, old.queue_item_id, old.agent_task_name, old.created_at) then
    raise exception 'rouse: only last_checkpoint, last_step, completed_steps and status can be updated';
  end if;
  select * into p from progress where id = old.id;
  select * into c from claims where task = p.task and fence = p.fence and ended is null for no key update;
  if not found then raise exception 'rouse: this row is not in_progress; its session has ended or was replaced'; end if;
  if coalesce(new.status, '') not in ('in_progress', 'completed', 'failed') then
    raise exception 'rouse: status must be in_progress, completed or failed';
  end if;
  if jsonb_typeof(coalesce(new.completed_steps, '[]')) <> 'array' then
    raise exception 'rouse: completed_steps must be a JSON array of step numbers';
  end if;
  select * into t from tasks where id = p.task;
  steps := jsonb_array_length(t.steps);
  if exists (select 1 from jsonb_array_elements(coalesce(new.completed_steps, '[]')) s
    where case when jsonb_typeof(s) = 'number' then s::numeric <> trunc(s::numeric) or s::numeric < 1
      or s::numeric > case steps when 0 then 1000000 else steps end else true end) then
    raise exception 'rouse: the task has no such step';
  end if;
  select * into p from progress where id = old.id;
  if new.status <> 'in_progress' then
    perform add_event('reported', p.task, c.agent, jsonb_build_object('fence', c.fence, 'status', new.status, 'text', body));
  end if;
  steps := 0;
  for added in select distinct s::int from jsonb_array_elements_text(coalesce(new.completed_steps, '[]')) s
    where not p.completed_steps @> to_jsonb(s::int) order by 1 loop
    perform record_checkpoint(c, added, body, 'sql', false, null, null);
    steps := steps + 1;
  end loop;
  if steps = 0 then perform record_checkpoint(c, null, body, 'sql', false, null, null); end if;
  return new;
end $$;

drop trigger if exists agent_progress_update on agent_progress;
create trigger agent_progress_update instead of update on agent_progress
  for each row execute function agent_progress_update();
`;

/** A function that nodes may execute. The body sees the arguments as `args` and the node as `node_id`. */
const operation = (name: string, declarations: string, body: string): string => `
create or replace function ${name}(args jsonb) returns jsonb language plpgsql security definer set search_path = rouse, pg_temp as $$
declare node_id text := me(); ${declarations}
begin
  ${body.trim()}
end $$;
`;

const TASK_OF = (field: string): string => `
  select * into t from tasks where id = (args->>'${field}')::bigint for no key update;
  if not found then return refusal('unknown_task', jsonb_build_object('task', (args->>'${field}')::bigint)); end if;`;

/** The fence decides, in the statement that reads the claim. */
const OWN_CLAIM = `
  select * into c from claims where task = (args->>'task')::bigint and fence = (args->>'fence')::bigint and ended is null
    and node = node_id for no key update;
  if not found then return claim_refusal((args->>'task')::bigint, (args->>'fence')::bigint); end if;`;

const OPERATIONS = [
  operation("clock_ms", "", "return to_jsonb(ms(clock()));"),
  operation(
    "join_node",
    "n nodes;",
    `
  select * into n from nodes where id = node_id for update;
  if n.instance is not null and n.instance <> args->>'instance' then
    return refusal('node_taken', jsonb_build_object('node', node_id));
  end if;
  update nodes set instance = args->>'instance', version = args->>'version', epoch = epoch + 1, joined_at = clock()
    where id = node_id returning * into n;
  return jsonb_build_object('node', node_id, 'epoch', n.epoch, 'now', ms(clock()));`,
  ),
  operation(
    "task_add",
    "made bigint; refused jsonb; right_now timestamptz := clock();",
    `
  if args->>'source' is not null then
    select id into made from tasks where source = args->>'source' and source_key = args->>'sourceKey';
    if found then return task_json(made); end if;
  end if;
  refused := reference_refusal(null, args);
  if refused is not null then return refused; end if;
  insert into tasks (status, title, description, diagnosis, qa, check_command, steps, project, kind, stage, priority, score,
      threshold, cycle, parent, tags, blocked_by, workspace, source, source_key, max_continuations, author, created_at, updated_at)
    values (args->>'status', args->>'title', args->>'description', args->>'diagnosis', args->>'qa', nullif(args->'check', 'null'),
      args->'steps', args->>'project', args->>'kind', args->>'stage', (args->>'priority')::int, (args->>'score')::float8,
      (args->>'threshold')::float8, (args->>'cycle')::int, (args->>'parent')::bigint, texts(args->'tags'), ids(args->'blockedBy'),
      args->>'workspace', args->>'source', args->>'sourceKey', (args->>'maxContinuations')::int, args->>'author', right_now, right_now)
    on conflict (source, source_key) do nothing returning id into made;
  if made is null then
    return (select task_json(t) from tasks t where source = args->>'source' and source_key = args->>'sourceKey');
  end if;
  insert into progress (task, created_at, updated_at) values (made, right_now, right_now);
  perform add_event('added', made, args->>'author', jsonb_build_object('status', args->'status'));
  return task_json(made);`,
  ),
  operation(
    "task_get",
    "found jsonb; task_id bigint := (args->>'id')::bigint;",
    `
  found := task_json(task_id);
  if found is null then return refusal('unknown_task', jsonb_build_object('task', task_id)); end if;
  return found || jsonb_build_object(
    'claims', (select coalesce(jsonb_agg(claim_json(c) order by c.fence), '[]') from claims c where c.task = task_id),
    'checkpoints', (select coalesce(jsonb_agg(checkpoint_json(c) order by c.id), '[]') from checkpoints c
      where c.id in (select k.id from checkpoints k where k.task = task_id order by k.id desc limit 1000)),
    'comments', (select coalesce(jsonb_agg(comment_json(c) order by c.id), '[]') from comments c where c.task = task_id),
    'progress', (select coalesce(jsonb_agg(progress_json(p) order by p.id), '[]') from progress p where p.task = task_id));`,
  ),
  operation(
    "task_list",
    "",
    `
  return (select coalesce(jsonb_agg(summary_json(t) order by place), '[]') from (
    select t, row_number() over (order by case when args->>'after' is null then -t.priority else 0 end, t.id) as place from tasks t
    where matches(t, args)
      and (args->'status' = 'null' or t.status = any(texts(args->'status')))
      and (args->>'parent' is null or t.parent = (args->>'parent')::bigint)
      and (args->>'worker' is null or t.worker = args->>'worker')
      and (args->>'source' is null or t.source = args->>'source')
      and (args->>'sourceKey' is null or t.source_key = args->>'sourceKey')
      and (args->>'node' is null
        or exists (select 1 from claims c where c.task = t.id and c.ended is null and c.node = args->>'node'))
      and (args->>'updatedSince' is null or t.updated_at >= to_timestamp((args->>'updatedSince')::numeric / 1000))
      and (args->>'after' is null or t.id > (args->>'after')::bigint)
    order by place limit (args->>'limit')::int) found);`,
  ),
  operation(
    "task_counts",
    "",
    `
  return (select coalesce(jsonb_object_agg(status, n), '{}') from (
    select t.status, count(*) as n from tasks t
    where args->>'updatedSince' is null or t.updated_at >= to_timestamp((args->>'updatedSince')::numeric / 1000)
    group by t.status) counted);`,
  ),
  operation(
    "task_edit",
    "t tasks; e jsonb := args->'changes'; refused jsonb; last_step int;",
    `${TASK_OF("id")}
  refused := reference_refusal(t.id, e);
  if refused is not null then return refused; end if;
  select max(s::int) into last_step from progress p, jsonb_array_elements_text(p.completed_steps) s where p.task = t.id;
  if e ? 'steps' and jsonb_array_length(e->'steps') > 0 and last_step > jsonb_array_length(e->'steps') then
    return refusal('step_out_of_range', jsonb_build_object('task', t.id, 'step', last_step, 'steps', jsonb_array_length(e->'steps')));
  end if;
  if (e->>'maxContinuations')::int < t.continuations then
    return refusal('continuations_used', jsonb_build_object('task', t.id, 'used', t.continuations));
  end if;
  if e = '{}' then return task_json(t); end if;
  update tasks set
    title = coalesce(e->>'title', title), description = coalesce(e->>'description', description),
    diagnosis = coalesce(e->>'diagnosis', diagnosis), qa = coalesce(e->>'qa', qa),
    check_command = case when e ? 'check' then nullif(e->'check', 'null') else check_command end,
    steps = coalesce(e->'steps', steps), project = coalesce(e->>'project', project), kind = coalesce(e->>'kind', kind),
    stage = coalesce(e->>'stage', stage), priority = coalesce((e->>'priority')::int, priority),
    score = case when e ? 'score' then (e->>'score')::float8 else score end,
    threshold = case when e ? 'threshold' then (e->>'threshold')::float8 else threshold end,
    cycle = coalesce((e->>'cycle')::int, cycle),
    parent = case when e ? 'parent' then (e->>'parent')::bigint else parent end,
    tags = case when e ? 'tags' then texts(e->'tags') else tags end,
    blocked_by = case when e ? 'blockedBy' then ids(e->'blockedBy') else blocked_by end,
    workspace = case when e ? 'workspace' then e->>'workspace' else workspace end,
    max_continuations = coalesce((e->>'maxContinuations')::int, max_continuations),
    attempts = coalesce((e->>'attempts')::int, attempts),
    last_error = case when e ? 'lastError' then e->>'lastError' else last_error end,
    updated_at = clock()
    where id = t.id;
  perform add_event('edited', t.id, args->>'author', jsonb_build_object('fields', args->'fields'));
  return task_json(t.id);`,
  ),
  operation(
    "task_comment",
    "t tasks; c claims; made comments;",
    `
  select * into t from tasks where id = (args->>'id')::bigint;
  if not found then return refusal('unknown_task', jsonb_build_object('task', (args->>'id')::bigint)); end if;
  if args->>'fence' is not null then
    args := args || jsonb_build_object('task', t.id);
    ${OWN_CLAIM}
    perform record_checkpoint(c, null, left(args->>'text', 4000), 'comment', false, null, null);
  end if;
  insert into comments (task, fence, author, node, at, text)
    values (t.id, (args->>'fence')::bigint, args->>'author', node_id, clock(), args->>'text') returning * into made;
  return comment_json(made);`,
  ),
  operation(
    "task_transition",
    "t tasks; c claims; refused jsonb; next_status text; op text := args->>'operation'; child bigint;",
    `
  -- A new child locks its parent: it waits for this lock, or is seen below.
  if (args->>'onlyChildless')::boolean then perform 1 from tasks where id = (args->>'id')::bigint for update; end if;
  ${TASK_OF("id")}
  -- These move a claim too: they have functions of their own.
  if op in (${CLAIM_OPERATIONS.map((name) => `'${name}'`).join(", ")}) then
    return refusal('not_permitted', jsonb_build_object('task', t.id, 'operation', op, 'actor', args->>'actor'));
  end if;
  if (args->>'onlyChildless')::boolean then select min(id) into child from tasks where parent = t.id; end if;
  if child is not null or t.status <> args->>'onlyStatus' then
    return refusal('changed', jsonb_build_object('task', t.id, 'status', t.status, 'child', child));
  end if;
  refused := check_transition(t, op, args->>'actor');
  if refused is not null then return refused; end if;
  select to_status into next_status from transitions where operation = op limit 1;
  refused := close_task(t, next_status, args);
  if refused is not null then return refused; end if;
  select * into c from claims where task = t.id and ended is null for no key update;
  if found then perform end_claim(c, 'revoked', next_status); end if;
  if op = 'reopen' then update tasks set continuations = 0 where id = t.id; end if;
  perform add_event(op, t.id, args->>'author', jsonb_build_object('from', t.status, 'error', args->>'error'));
  return task_json(t.id);`,
  ),
  operation(
    "task_next",
    "t tasks;",
    `
  select * into t from tasks where status = 'pending' and matches(tasks, args) and undone(blocked_by) = '{}'
    order by priority desc, id limit 1;
  return case when found then task_json(t) end;`,
  ),
  // Rows that another claim holds are skipped, not waited for.
  operation(
    "claim_next",
    "t tasks;",
    `
  select * into t from tasks where status = 'pending' and matches(tasks, args) and undone(blocked_by) = '{}'
    order by priority desc, id limit 1 for no key update skip locked;
  return case when found then begin_claim(t, node_id, args, 'claimed') end;`,
  ),
  operation(
    "claim_task",
    "t tasks; c claims; refused jsonb;",
    `${TASK_OF("task")}
  select * into c from claims where task = t.id and ended is null;
  if found then return held_by(c); end if;
  refused := check_transition(t, 'claim', 'holder');
  if refused is not null then return refused; end if;
  if undone(t.blocked_by) <> '{}' then
    return refusal('waits', jsonb_build_object('task', t.id, 'waitsFor', undone(t.blocked_by)));
  end if;
  return begin_claim(t, node_id, args, 'claimed');`,
  ),
  operation(
    "claim_renew",
    "renewed jsonb;",
    `
  with own as (
    select c.task, c.fence from claims c, jsonb_to_recordset(args->'claims') as r (task bigint, fence bigint)
    where c.task = r.task and c.fence = r.fence and c.node = node_id and c.ended is null
    order by c.task for no key update of c),
  changed as (
    update claims c set lease_until = greatest(c.lease_until, clock() + c.lease_ms * interval '1 ms') from own
    where c.task = own.task and c.fence = own.fence and c.ended is null returning c as claim)
  select jsonb_agg(claim_json(claim) order by (claim).task) into renewed from changed;
  return coalesce(renewed, '[]');`,
  ),
  operation(
    "claim_checkpoint",
    "t tasks; c claims; refused jsonb;",
    `
  select * into c from claims where task = (args->>'task')::bigint and fence = (args->>'fence')::bigint and ended is null
    and node = node_id for no key update;
  if not found then
    refused := claim_refusal((args->>'task')::bigint, (args->>'fence')::bigint);
    -- A late report of a session that lost its task is evidence.
    if refused->'refused'->>'code' = 'stale_fence' then
      perform add_event('checkpoint_refused', (args->>'task')::bigint, 'rouse',
        jsonb_build_object('fence', (args->>'fence')::bigint, 'text', args->>'text'));
    end if;
    return refused;
  end if;
  select * into t from tasks where id = c.task;
  refused := step_refusal(t, (args->>'step')::int);
  if refused is not null then return refused; end if;
  return record_checkpoint(c, (args->>'step')::int, args->>'text', args->>'source', (args->>'inferred')::boolean,
    to_timestamp((args->>'at')::numeric / 1000), args->>'key');`,
  ),
  operation(
    "claim_finish",
    "t tasks; c claims; refused jsonb; next_status text; op text := args->>'operation';",
    `${TASK_OF("task")}${OWN_CLAIM}
  refused := check_transition(t, op, 'holder');
  if refused is not null then return refused; end if;
  select to_status into next_status from transitions where operation = op limit 1;
  refused := close_task(t, next_status, args);
  if refused is not null then return refused; end if;
  perform end_claim(c, args->>'outcome', next_status);
  perform add_event(op, t.id, c.agent,
    jsonb_build_object('fence', c.fence, 'error', args->>'error', 'verification', args->>'verification'));
  return task_json(t.id);`,
  ),
  operation(
    "claim_release",
    "t tasks; c claims;",
    `${TASK_OF("task")}${OWN_CLAIM}
  if (args->>'abandoned')::boolean then perform offer_again(c, 'abandoned', args->>'reason');
  else
    update tasks set status = 'pending', updated_at = clock() where id = t.id;
    perform end_claim(c, 'released', 'pending');
    perform add_event('release', t.id, c.agent, jsonb_build_object('fence', c.fence, 'reason', args->>'reason'));
  end if;
  return task_json(t.id);`,
  ),
  operation(
    "claim_take_over",
    "t tasks; c claims; objection text;",
    `${TASK_OF("task")}
  select * into c from claims where task = t.id and fence = (args->>'fence')::bigint and ended is null for no key update;
  if not found then return claim_refusal(t.id, (args->>'fence')::bigint); end if;
  if c.node <> node_id then
    if c.lease_until >= clock() then return held_by(c); end if;
    objection := take_over_objection(c.lease_ms * interval '1 ms');
    if objection is not null then
      return refusal('not_taken_over', jsonb_build_object('task', t.id, 'node', c.node, 'reason', objection));
    end if;
  end if;
  if not use_continuation(t.id, args->>'reason') then
    perform end_claim(c, 'taken_over', 'failed');
    perform add_event('fail', t.id, 'rouse', jsonb_build_object('fence', c.fence, 'reason', args->>'reason'));
    return null;
  end if;
  perform end_claim(c, 'taken_over', 'in_progress');
  select * into t from tasks where id = t.id;
  return begin_claim(t, node_id, args, 'take_over');`,
  ),
  operation(
    "claim_expire",
    "c claims; ended_claims jsonb := '[]'; outcome text; task_id bigint; before timestamptz := clock() - (args->>'patienceMs')::bigint * interval '1 ms';",
    `
  if braked() > 0 then return '[]'; end if;
  for task_id in select task from claims where ended is null and lease_until < before
    and reachable_since() + lease_ms * interval '1 ms' < before order by task limit 500 loop
    -- Another node may be doing the same.
    perform 1 from tasks where id = task_id for no key update skip locked;
    continue when not found;
    select * into c from claims where task = task_id and ended is null and lease_until < before for no key update;
    continue when not found;
    outcome := offer_again(c, 'expired', 'the lease of ' || c.agent || ' lapsed');
    select * into c from claims where task = c.task and fence = c.fence;
    ended_claims := ended_claims || jsonb_build_array(jsonb_build_object('claim', claim_json(c), 'outcome', outcome));
  end loop;
  return ended_claims;`,
  ),
  operation(
    "lock_take",
    "c claims; l locks; right_now timestamptz; is_free boolean;",
    `
  if args->>'task' is not null then ${OWN_CLAIM}
  end if;
  perform pg_advisory_xact_lock(hashtext('rouse.lock'), hashtext((args->>'project') || '/' || (args->>'name')));
  right_now := clock();
  select * into l from locks where project = args->>'project' and name = args->>'name' for update;
  is_free := not found or l.lease_until < right_now;
  is_free := coalesce(is_free, false);
  if not is_free and (l.holder, l.node) is distinct from (args->>'holder', node_id)
    or not is_free and l.task is distinct from (args->>'task')::bigint then
    return refusal('lock_held', jsonb_build_object('project', l.project, 'name', l.name, 'holder', l.holder, 'node', l.node,
      'since', iso(l.since)));
  end if;
  insert into locks (project, name, holder, node, task, fence, since, lease_until)
    values (args->>'project', args->>'name', args->>'holder', node_id, (args->>'task')::bigint, (args->>'fence')::bigint, right_now,
      right_now + (args->>'leaseMs')::bigint * interval '1 ms')
    on conflict (project, name) do update set holder = excluded.holder, node = excluded.node, task = excluded.task,
      fence = excluded.fence, since = case when is_free then right_now else locks.since end, lease_until = excluded.lease_until
    returning * into l;
  if is_free then
    perform add_event('lock_taken', l.task, l.holder, jsonb_build_object('project', l.project, 'name', l.name));
  end if;
  return lock_json(l);`,
  ),
  operation(
    "lock_release",
    "l locks;",
    `
  delete from locks where project = args->>'project' and name = args->>'name'
    and (args->>'holder' is null or holder = args->>'holder')
    and (args->>'since' is null or ms(since) = (args->>'since')::bigint) returning * into l;
  if l.name is null then return 'false'; end if;
  perform add_event('lock_released', l.task, args->>'author',
    jsonb_build_object('project', l.project, 'name', l.name, 'holder', l.holder));
  return 'true';`,
  ),
  operation(
    "lock_list",
    "",
    `
  return (select coalesce(jsonb_agg(lock_json(l) order by l.project, l.name), '[]') from locks l
    where args->>'project' is null or l.project = args->>'project');`,
  ),
  operation(
    "progress_list",
    "",
    `
  return (select coalesce(jsonb_agg(progress_json(p) order by p.id), '[]') from progress p
    where (args->>'task' is null or p.task = (args->>'task')::bigint) and (args->>'status' is null or p.status = args->>'status'));`,
  ),
  operation("progress_collect", "", "return '[]';"),
  operation(
    "event_list",
    "",
    `
  return (select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'at', ms(e.at), 'node', e.node, 'author', e.author,
      'kind', e.kind, 'task', e.task, 'data', e.data) order by e.id), '[]')
    from (select * from events
      where (args->>'task' is null or task = (args->>'task')::bigint) and (args->>'kind' is null or kind = args->>'kind')
        and (args->>'since' is null or at >= to_timestamp((args->>'since')::numeric / 1000))
      order by id desc limit (args->>'limit')::int) e);`,
  ),
  operation(
    "prune",
    "tasks_gone int; events_gone int; messages_gone int; closed text[] := array['done', 'failed', 'rejected'];",
    `
  delete from tasks t where t.status = any(closed) and t.updated_at < to_timestamp((args->>'tasksBefore')::numeric / 1000)
    and not exists (select 1 from tasks o where o.status <> all(closed) and (o.parent = t.id or t.id = any(o.blocked_by)));
  get diagnostics tasks_gone = row_count;
  delete from events where at < to_timestamp((args->>'eventsBefore')::numeric / 1000);
  get diagnostics events_gone = row_count;
  delete from messages where acked_at < to_timestamp((args->>'messagesBefore')::numeric / 1000);
  get diagnostics messages_gone = row_count;
  return jsonb_build_object('tasks', tasks_gone, 'events', events_gone, 'messages', messages_gone);`,
  ),
  // The lock on the inbox orders its numbers as they are committed: a reader's cursor never skips one.
  operation(
    "message_send",
    "made messages; next_seq bigint;",
    `
  insert into inboxes values (args->>'receiver', 0) on conflict do nothing;
  select last + 1 into next_seq from inboxes where receiver = args->>'receiver' for update;
  if exists (select 1 from messages where receiver = args->>'receiver' and key = args->>'key') then return null; end if;
  update inboxes set last = next_seq where receiver = args->>'receiver';
  insert into messages (receiver, seq, key, type, sender, payload, at)
    values (args->>'receiver', next_seq, args->>'key', args->>'type', args->>'sender', args->'payload', clock()) returning * into made;
  return message_json(made);`,
  ),
  operation(
    "message_read",
    "",
    `
  return (select coalesce(jsonb_agg(message_json(m) order by m.seq), '[]') from (
    select * from messages where receiver = args->>'receiver' and seq > (args->>'after')::bigint
      and ((args->>'acked')::boolean or acked_at is null)
    order by seq limit (args->>'limit')::int) m);`,
  ),
  operation(
    "message_ack",
    "acked int;",
    `
  update messages set acked_at = clock(), acked_by = args->>'by'
    where receiver = args->>'receiver' and acked_at is null and seq = any(ids(args->'seqs'));
  get diagnostics acked = row_count;
  return to_jsonb(acked);`,
  ),
  ...fleetOperations(operation),
];

/** All functions, for a session whose search path is `rouse`. Creating them again changes nothing. */
export const FUNCTIONS = `${INTERNAL}${FLEET_RULES}${OPERATIONS.join("")}`;

/** Names of the functions that nodes may execute. */
export const NODE_FUNCTIONS: readonly string[] = OPERATIONS.map(
  (text) => /create or replace function (\w+)/.exec(text)?.[1] ?? "",
);
