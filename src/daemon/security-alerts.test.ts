import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agent, TestLoop, WORKING } from "../../test/support/loops.js";
import type { AuditEntry } from "../store/audit-entry.js";
import type { AlertOutbox } from "./alert-outbox.js";
import { SecurityAlerts } from "./security-alerts.js";

let test: TestLoop;
let sent: string[];
let alerts: SecurityAlerts;

beforeEach(async () => {
  test = await TestLoop.working();
  test.loop.register(agent({ name: "evil", id: "s2", pid: 9 }));
  sent = [];
  const outbox = { add: ([one]: [{ notice: { title: string } }]) => sent.push(one.notice.title) };
  alerts = new SecurityAlerts(test.loop, outbox as unknown as AlertOutbox);
});
afterEach(() => test.close());

const entry = (author: string, session: string): AuditEntry => ({
  at: test.loop.now(),
  author,
  origin: "socket",
  action: "type_unchecked",
  agent: null,
  session,
  text: "1",
});

describe("a refusal that another process of rouse recorded", () => {
  it("is announced if a dialog of the agent that it is about, or of its author, is open", async () => {
    await test.send("s1", WORKING);
    alerts.spooledAttempt(entry("agent evil", "s1"));
    expect(sent).toEqual([]);
    await test.send("s1", [{ kind: "prompt", source: "hook", open: true, prompt: "permission", question: "Push?" }]);
    alerts.spooledAttempt(entry("agent evil", "s1"));
    alerts.spooledAttempt(entry("agent api", "s2"));
    alerts.spooledAttempt(entry("user", "s1"));
    expect(sent).toEqual([
      expect.stringContaining("evil tried to act on api's dialog"),
      expect.stringContaining("api tried to act on its own dialog"),
    ]);
  });
});
