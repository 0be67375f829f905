import { describe, expect, it } from "vitest";
import { agent } from "../../../test/support/loops.js";
import type { SessionJudge } from "../../core/session-judge.js";
import type { Right } from "../../daemon/http/tokens.js";
import type { FromInside } from "../from-inside.js";
import { insideObjection } from "./access.js";

const OWN = { rights: [], workerTags: ["worker"], workerPattern: "^hand-", orchestratorTag: "orchestrator" };

const AGENTS = {
  boss: agent({ id: "s-boss", name: "boss" }),
  web: agent({ id: "s-web", name: "web" }),
  ann: agent({ id: "s-ann", name: "ann", tags: ["worker"] }),
  "hand-1": agent({ id: "s-hand", name: "hand-1" }),
  lead: agent({ id: "s-lead", name: "lead", tags: ["worker", "orchestrator"] }),
} as const;
type Name = keyof typeof AGENTS;

const judgeOf = (name: Name): SessionJudge => ({ session: AGENTS[name] }) as SessionJudge;
const asks = (
  by: Name | null,
  fromInside: FromInside,
  to: Name | null,
  rights: readonly Right[],
  outer: readonly Name[] = [],
): string | null =>
  insideObjection(
    fromInside,
    { inside: by && judgeOf(by), outer: outer.map(judgeOf), rights: new Set(rights) },
    to && AGENTS[to],
    OWN,
  );

const CONTROL = ["read", "report", "control"] as const;
const ALL = [...CONTROL, "admin"] as const;

describe("an agent that another agent started", () => {
  it.each<[string, Name, readonly Name[], Name, string | null]>([
    ["controls no other worker for a worker", "web", ["ann"], "hand-1", "it is a worker itself"],
    ["does not control the agent that started it", "web", ["lead"], "lead", "itself"],
    ["controls workers for an orchestrator", "web", ["boss"], "ann", null],
    ["controls workers for a worker with the orchestrator's tag", "web", ["lead"], "ann", null],
  ])("%s", (_, by, outer, to, expected) => {
    const objection = asks(by, "workers", to, CONTROL, outer);
    if (expected === null) expect(objection).toBeNull();
    else expect(objection).toContain(expected);
  });
});

describe("what a client may do inside of a watched agent", () => {
  it.each<[string, Name | null, FromInside, Name | null, readonly Right[], string | null]>([
    ["anything outside of all agents", null, "refused", "web", [], null],
    ["what the table allows", "web", "allowed", null, [], null],
    ["nothing that is refused, with every right", "boss", "refused", "ann", ALL, "inside of the watched agent boss"],
    ["nothing to a worker without control", "boss", "workers", "ann", ["read", "report"], "lacks the right control"],
    ["control of a worker by its tag", "boss", "workers", "ann", CONTROL, null],
    ["control of a worker by its name", "boss", "workers", "hand-1", CONTROL, null],
    ["no control of another agent", "boss", "workers", "web", ALL, "only workers (tags: worker), and web is not one"],
    ["no control of itself", "boss", "workers", "boss", ALL, "may not type into, recover or stop itself"],
    ["no control of itself as a worker", "lead", "workers", "lead", ALL, "itself"],
    ["no control by a worker", "ann", "workers", "hand-1", CONTROL, "it is a worker itself"],
    ["control by a worker with the orchestrator's tag", "lead", "workers", "ann", CONTROL, null],
    ["a timer for itself with control", "web", "itself or workers", "web", CONTROL, null],
    ["no timer for itself without control", "web", "itself or workers", "web", ["read"], "lacks the right control"],
    ["a timer for a worker", "boss", "itself or workers", "ann", CONTROL, null],
    ["no timer for another agent", "boss", "itself or workers", "web", CONTROL, "only workers"],
    [
      "no start of an agent without control",
      "boss",
      "orchestrators",
      null,
      ["read", "report"],
      "lacks the right control",
    ],
    ["a start of an agent by an orchestrator", "boss", "orchestrators", null, CONTROL, null],
    ["no start of an agent by a worker", "ann", "orchestrators", null, CONTROL, "it is a worker itself"],
    ["no control of an agent that is not known", "boss", "workers", null, ALL, "inside of the watched agent boss"],
  ])("%s", (_, by, fromInside, to, rights, expected) => {
    const objection = asks(by, fromInside, to, rights);
    if (expected === null) expect(objection).toBeNull();
    else expect(objection).toContain(expected);
  });
});
