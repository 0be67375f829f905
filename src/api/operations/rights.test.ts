/** Which client may use which operation, compared with literal copies: a change is a decision about security. */
import { describe, expect, it } from "vitest";
import type { Right } from "../../daemon/http/tokens.js";
import type { FromInside } from "../from-inside.js";
import { OPERATIONS } from "./index.js";
import type { Operation } from "./operation.js";

const ROWS = Object.entries<Operation>(OPERATIONS);

describe("rights", () => {
  const withRight = (right: Right): string[] => ROWS.flatMap(([name, row]) => (row.right === right ? [name] : []));

  it("match this copy of the list", () => {
    expect(withRight("admin").sort()).toEqual([
      "accept_audit",
      "allow",
      "dismiss_alerts",
      "local_config",
      "local_fleet",
      "local_init",
      "local_token",
      "rename",
      "retry_alerts",
      "shut_down",
      "silence",
      "test_alert",
      "unwatch",
      "watch",
      "web_login",
    ]);
    expect(withRight("control").sort()).toEqual([
      "ack",
      "add_task",
      "decide_task",
      "diagnose",
      "diagnosis_feedback",
      "edit_task",
      "feedback",
      "fleet_command",
      "fork_task",
      "local_attach",
      "local_outcome",
      "local_stop",
      "local_type",
      "local_type_unchecked",
      "missed",
      "recover",
      "send_input",
      "spawn",
      "stop",
      "watchdog_start",
      "watchdog_stop",
    ]);
    expect(withRight("report").sort()).toEqual([
      "ack_messages",
      "checkpoint",
      "claim_task",
      "comment_task",
      "finish_task",
      "release_lock",
      "release_task",
      "report",
      "send_message",
      "take_lock",
    ]);
  });

  it("are read for operations that only read, and those use GET", () => {
    for (const [name, { method, right }] of ROWS) expect([name, method === "get"]).toEqual([name, right === "read"]);
  });
});

describe("the audit trail", () => {
  it("has a line for every operation that changes permissions, settings or agents, and for no other", () => {
    for (const [name, { right, audit }] of ROWS)
      expect([name, audit !== "none"]).toEqual([name, right === "control" || right === "admin"]);
    const loose = ROWS.flatMap(([name, { audit }]) => (audit === "if possible" ? [name] : []));
    expect(loose).toEqual(["shut_down"]);
  });
});

describe("inside of a watched agent", () => {
  const ofKind = (kind: FromInside): string[] => ROWS.flatMap(([name, row]) => (row.fromInside === kind ? [name] : []));

  it("everything that reads is allowed, and of the rest only this", () => {
    const changes = new Set(ROWS.flatMap(([name, { right }]) => (right === "read" ? [] : [name])));
    expect(ofKind("allowed").filter((name) => changes.has(name))).toEqual([
      "send_message",
      "ack_messages",
      "local_outcome",
    ]);
    expect(ofKind("orchestrators").sort()).toEqual(["add_task", "decide_task", "edit_task", "spawn"]);
    expect(ofKind("itself").sort()).toEqual([
      "checkpoint",
      "claim_task",
      "comment_task",
      "finish_task",
      "release_lock",
      "release_task",
      "report",
      "take_lock",
    ]);
    expect(ofKind("workers").sort()).toEqual(["local_stop", "local_type", "recover", "send_input", "stop"]);
    expect(ofKind("itself or workers").sort()).toEqual(["watchdog_start", "watchdog_stop"]);
    for (const [name, { right, fromInside }] of ROWS)
      if (right === "admin") expect([name, fromInside]).toEqual([name, "refused"]);
  });
});
