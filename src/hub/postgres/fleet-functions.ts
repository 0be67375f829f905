/** The functions of a fleet on PostgreSQL: leases of nodes, agents, commands, and when the tasks of a lost node may be taken over. */
import { BRAKE_NODES, BRAKE_PART, NODE_LEASE_MS, STAND_DOWN_MS } from "../fleet.js";

const LEASE = `interval '${NODE_LEASE_MS} ms'`;
const GAP = `interval '${STAND_DOWN_MS} ms'`;

/** Used by the functions of tasks too, so they come first. */
export const FLEET_RULES = `
-- After a time in which no node reached the hub, every lease is in the past, which proves nothing about the nodes.
create or replace function reachable_since() returns timestamptz language sql stable as
  $$ select coalesce((select since from reachable), '-infinity') $$;

-- How many nodes lapsed within one lease, if those are too many to be dead: the brake. Nodes that stopped in order do not count.
create or replace function braked() returns int language sql stable as $$
  with members as (select lease_until, stopped_at from nodes where left_at is null and run > 0),
    together as (select count(*) over (order by lease_until range between current row and ${LEASE} following) as n
      from members where stopped_at is null and lease_until < clock())
  select coalesce(max(n), 0)::int from together
    where n >= ${BRAKE_NODES} and n > ${BRAKE_PART} * (select count(*) from members) $$;

-- Why no claim of another node is taken over now; null if nothing stands against it.
create or replace function take_over_objection(lease interval) returns text language plpgsql stable as $$
declare together int;
begin
  if reachable_since() + greatest(lease, ${LEASE}) > clock() then return 'the hub was unreachable until ' || iso(reachable_since()); end if;
  together := braked();
  if together > 0 then return together || ' nodes were lost together'; end if;
  return null;
end $$;

create or replace function node_json(n nodes) returns jsonb language sql stable as $$
  select jsonb_build_object('id', n.id, 'rev', n.rev, 'version', coalesce(n.version, ''), 'renewedAt', ms(n.renewed_at),
    'leaseUntil', ms(n.lease_until), 'stoppedAt', ms(n.stopped_at), 'leftAt', ms(n.left_at)) $$;

create or replace function command_json(c commands) returns jsonb language sql stable as $$
  select jsonb_build_object('id', c.id, 'node', c.node, 'verb', c.verb, 'agent', c.agent, 'args', c.options, 'author', c.author,
    'sender', c.sender, 'sentAt', ms(c.sent_at), 'expiresAt', ms(c.expires_at), 'takenAt', ms(c.taken_at), 'endedAt', ms(c.ended_at),
    'result', case when c.result is null and c.taken_at is null and c.expires_at < clock() then 'expired' else c.result end,
    'reason', coalesce(c.reason, ''), 'answer', c.answer) $$;

create or replace function note_contact() returns void language plpgsql as $$
begin
  if exists (select 1 from nodes where renewed_at > clock() - ${GAP}) then return; end if;
  insert into reachable (since) values (clock()) on conflict (one) do update set since = excluded.since;
end $$;

-- The fence of a node: null if this is its present run.
create or replace function run_refusal(n nodes, run_no bigint) returns jsonb language sql immutable as $$
  select case when n.run <> run_no or n.left_at is not null
    then refusal('stale_run', jsonb_build_object('node', n.id, 'run', run_no, 'current', n.run)) end $$;

create or replace function leave_node(node_id text, is_release boolean) returns jsonb language plpgsql as $$
declare c claims; held bigint[];
begin
  -- In the order of all functions: tasks before claims.
  perform 1 from tasks t where exists (select 1 from claims k where k.task = t.id and k.node = node_id and k.ended is null)
    order by t.id for no key update;
  select coalesce(array_agg(task order by task), '{}') into held from claims where node = node_id and ended is null;
  if held <> '{}' and not is_release then
    return refusal('holds_tasks', jsonb_build_object('node', node_id, 'tasks', held));
  end if;
  for c in select * from claims where node = node_id and ended is null order by task for no key update loop
    update tasks set status = 'pending', updated_at = clock() where id = c.task;
    perform end_claim(c, 'released', 'pending');
    perform add_event('release', c.task, c.agent, jsonb_build_object('fence', c.fence, 'reason', 'its node left the fleet'));
  end loop;
  delete from agents where node = node_id;
  update commands set ended_at = clock(), result = 'refused', reason = 'the node left the fleet' where node = node_id and ended_at is null;
  update nodes set left_at = clock(), instance = null, lease_until = null, stopped_at = null where id = node_id;
  perform add_event('node_left', null, 'user', jsonb_build_object('node', node_id));
  return jsonb_build_object('released', held);
end $$;
`;

type Operation = (name: string, declarations: string, body: string) => string;

const OWN_NODE = `
  select * into n from nodes where id = node_id for no key update;
  refused := run_refusal(n, (args->>'run')::bigint);
  if refused is not null then return refused; end if;`;

export const fleetOperations = (operation: Operation): string[] => [
  operation(
    "node_start",
    "n nodes;",
    `
  select * into n from nodes where id = node_id for no key update;
  if n.instance is not null and n.instance <> args->>'instance' then
    return refusal('node_taken', jsonb_build_object('node', node_id));
  end if;
  perform note_contact();
  update nodes set instance = args->>'instance', version = args->>'version', run = run + 1, renewed_at = clock(),
    lease_until = clock() + ${LEASE}, stopped_at = null where id = node_id returning * into n;
  -- What an earlier run began has no outcome that anybody could still report.
  update commands set ended_at = clock(), result = 'unknown', reason = 'the daemon of ' || node_id || ' ended while it carried this out'
    where node = node_id and taken_at is not null and ended_at is null;
  delete from agents where node = node_id and body is null and since < clock() - interval '1 day';
  return jsonb_build_object('node', node_id, 'run', n.run, 'seq', n.seq, 'now', ms(clock()));`,
  ),
  operation(
    "node_flush",
    "n nodes; refused jsonb; seq_no bigint := (args->>'seq')::bigint; is_changed boolean;",
    `${OWN_NODE}
  -- A repetition, or a call that was delayed on the way: what it says is old.
  if seq_no <= n.seq then
    return refusal('stale_run', jsonb_build_object('node', node_id, 'run', n.run, 'current', n.run));
  end if;
  perform note_contact();
  is_changed := args->'keep' <> 'null' or args->'agents' <> '[]';
  update nodes set seq = seq_no, rev = case when is_changed then seq_no else rev end, renewed_at = clock(),
    lease_until = clock() + ${LEASE} where id = node_id;
  if args->'keep' <> 'null' then
    update agents set body = null, rev = seq_no, since = clock() where node = node_id and body is not null
      and id <> all(texts(args->'keep'));
  end if;
  if args->'agents' <> '[]' then
    insert into agents (node, id, rev, name, state, since, body)
      -- Removed rows are kept for a day of this clock: the node's own may be wrong.
      select node_id, a.id, seq_no, a.name, a.state, case when a.body is null then clock() else to_timestamp(a.since / 1000.0) end, a.body
      from jsonb_to_recordset(args->'agents') as a (id text, name text, state text, since numeric, body text) order by a.id
      on conflict (node, id) do update set rev = excluded.rev, name = excluded.name, state = excluded.state, since = excluded.since,
        body = excluded.body;
  end if;
  return jsonb_build_object('now', ms(clock()));`,
  ),
  // Few nodes changed, each with few agents: the lateral join reads those through the index.
  operation(
    "fleet_follow",
    "last timestamptz := to_timestamp((args->>'since')::numeric / 1000) - interval '2 s'; known jsonb := args->'known';",
    `
  return jsonb_build_object('now', ms(clock()), 'reachableSince', (select ms(since) from reachable),
    'nodes', (select coalesce(jsonb_agg(node_json(n)), '[]') from nodes n
      where n.renewed_at > last or n.stopped_at > last or n.left_at > last or ((args->>'since')::numeric = 0 and n.left_at is null)),
    'agents', (select coalesce(jsonb_agg(jsonb_build_object('node', a.node, 'id', a.id, 'name', a.name, 'state', a.state,
        'since', ms(a.since), 'body', a.body)), '[]')
      from nodes n cross join lateral (
        select * from agents g where g.node = n.id and g.rev > coalesce((known->>n.id)::bigint, -1)) a
      where n.left_at is null and n.rev > coalesce((known->>n.id)::bigint, -1)),
    'commands', (select count(*) from commands c where c.node = node_id and c.ended_at is null and c.taken_at is null
      and c.expires_at > clock()),
    'brake', braked());`,
  ),
  operation(
    "node_stop",
    "n nodes; refused jsonb;",
    `${OWN_NODE}
  update nodes set stopped_at = clock(), lease_until = clock() where id = node_id;
  return 'true';`,
  ),
  operation("node_leave", "", "return leave_node(node_id, (args->>'release')::boolean);"),
  operation(
    "command_send",
    "n nodes; c commands;",
    `
  select * into n from nodes where id = args->>'node' and left_at is null;
  if not found then return refusal('unknown_node', jsonb_build_object('node', args->>'node')); end if;
  if n.lease_until is null or n.lease_until < clock() then
    return refusal('node_lost', jsonb_build_object('node', n.id, 'since', iso(coalesce(n.lease_until, n.joined_at, clock()))));
  end if;
  insert into commands (id, node, verb, agent, options, author, sender, sent_at, expires_at)
    values ((args->>'id')::uuid, n.id, args->>'verb', args->>'agent', args->'args', args->>'author', node_id, clock(),
      clock() + (args->>'expiresMs')::bigint * interval '1 ms')
    on conflict (id) do nothing;
  select * into c from commands where id = (args->>'id')::uuid and sender = node_id;
  if not found then return refusal('unknown_command', jsonb_build_object('id', args->>'id')); end if;
  perform pg_notify('rouse_' || n.id, '');
  return command_json(c);`,
  ),
  operation(
    "command_take",
    "n nodes; refused jsonb; taken jsonb;",
    `${OWN_NODE}
  with mine as (
    update commands set taken_at = clock()
    where node = node_id and taken_at is null and ended_at is null and expires_at > clock() returning commands as c)
  select jsonb_agg(command_json(c) order by (c).sent_at) into taken from mine;
  return coalesce(taken, '[]');`,
  ),
  operation(
    "command_finish",
    "n nodes; refused jsonb;",
    `${OWN_NODE}
  update commands set ended_at = clock(), result = args->>'result', reason = args->>'reason', answer = nullif(args->'answer', 'null')
    where id = (args->>'id')::uuid and node = node_id and taken_at is not null and ended_at is null;
  if not found then return refusal('unknown_command', jsonb_build_object('id', args->>'id')); end if;
  return 'true';`,
  ),
  operation(
    "command_read",
    "c commands;",
    `
  select * into c from commands where id = (args->>'id')::uuid and sender = node_id;
  if not found then return refusal('unknown_command', jsonb_build_object('id', args->>'id')); end if;
  return command_json(c);`,
  ),
  // A node that took an alert and died before it was sent leaves it to the next one.
  operation(
    "alert_take",
    "is_mine boolean;",
    `
  insert into fleet_alerts as a (key, node, held_until) values (args->>'key', node_id, clock() + (args->>'holdMs')::bigint * interval '1 ms')
    on conflict (key) do update set node = excluded.node, held_until = excluded.held_until
      where a.sent_at is null and (a.held_until < clock() or a.node = excluded.node) returning true into is_mine;
  return to_jsonb(coalesce(is_mine, false));`,
  ),
  operation(
    "alert_settle",
    "",
    `
  update fleet_alerts set sent_at = clock() where key = args->>'key' and node = node_id;
  return 'true';`,
  ),
];

/** Step 2 of the tables. */
export const FLEET_TABLES = `
alter table nodes add column run bigint not null default 0, add column seq bigint not null default 0,
  add column rev bigint not null default 0, add column renewed_at timestamptz, add column lease_until timestamptz,
  add column stopped_at timestamptz, add column left_at timestamptz,
  set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create table agents (
  node text not null references nodes,
  id text not null,
  rev bigint not null,
  name text not null,
  state text not null,
  since timestamptz not null,
  body text,
  primary key (node, id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index agents_by_rev on agents (node, rev);
create table reachable (one boolean primary key default true check (one), since timestamptz not null);
create table commands (
  id uuid primary key,
  node text not null,
  verb text not null,
  agent text not null,
  options jsonb not null,
  author text not null,
  sender text not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  taken_at timestamptz,
  ended_at timestamptz,
  result text,
  reason text,
  answer jsonb
);
create index commands_open on commands (node) where ended_at is null;
create table fleet_alerts (key text primary key, node text not null, held_until timestamptz not null, sent_at timestamptz);
`;
