/** Sends alerts about what clients of rouse tried, at most once for each finding. */
import { openPrompt } from "../core/judgement/evidence/prompts.js";
import { planSecurityAlert, type SecurityFinding } from "../core/notices/security.js";
import type { SessionJudge } from "../core/session-judge.js";
import { sanitize } from "../core/text/sanitize.js";
import type { AuditEntry } from "../store/audit-entry.js";
import type { AlertOutbox } from "./alert-outbox.js";
import type { Loop } from "./loop.js";

export class SecurityAlerts {
  readonly #loop: Pick<Loop, "state" | "now" | "find">;
  readonly #alerts: AlertOutbox;

  constructor(loop: Pick<Loop, "state" | "now" | "find">, alerts: AlertOutbox) {
    this.#loop = loop;
    this.#alerts = alerts;
  }

  /** A command from inside of an agent while a dialog is open: one alert per dialog. */
  dialogAttempt({ session: by }: SessionJudge, { session, evidence }: SessionJudge, operation: string): void {
    const prompt = openPrompt(evidence.prompts);
    const name = sanitize(session.name, 60);
    this.send({
      id: `dialog ${session.id} ${prompt?.at ?? 0}`,
      title: `${sanitize(by.name, 60)} tried to act on ${by.id === session.id ? "its own" : `${name}'s`} dialog`,
      lines: [
        `it called ${operation.replaceAll("_", " ")} from inside; rouse refused`,
        ...(prompt?.question ? [`the dialog: ${prompt.question}`] : []),
        `you can: answer it (rouse go ${name})`,
      ],
      agent: session.name,
    });
  }

  /** Another process of rouse refused a command and left this line, while no daemon ran or without asking it. */
  spooledAttempt({ author, action, session }: AuditEntry): void {
    const by = this.#loop.find(/^agent (.+)$/.exec(author)?.[1] ?? "");
    if (!by) return;
    const about = session === null ? null : this.#loop.find(session);
    const asking = [about, by].find((one) => one && openPrompt(one.evidence.prompts) !== null);
    if (asking) this.dialogAttempt(by, asking, action);
  }

  send(finding: SecurityFinding): void {
    this.#put(planSecurityAlert(finding, this.#loop.state.rules.alerts, this.#loop.now()));
  }

  /** A task failed that no agent of this node holds any more. */
  sendTask(finding: SecurityFinding): void {
    const how = { kind: "watchdog", edge: "escalated" } as const;
    this.#put(planSecurityAlert(finding, this.#loop.state.rules.alerts, this.#loop.now(), how));
  }

  #put({ planned, notice }: ReturnType<typeof planSecurityAlert>): void {
    this.#alerts.add([{ planned, notice }]);
  }
}
