/** Sends alerts about what clients of rouse tried, at most once for each finding. */
import { openPrompt } from "../core/judgement/evidence/prompts.js";
import { planSecurityAlert, type SecurityFinding } from "../core/notices/security.js";
import type { SessionJudge } from "../core/session-judge.js";
import { sanitize } from "../core/text/sanitize.js";
import type { AlertOutbox } from "./alert-outbox.js";
import type { Loop } from "./loop.js";

export class SecurityAlerts {
  readonly #loop: Pick<Loop, "state" | "now">;
  readonly #alerts: AlertOutbox;

  constructor(loop: Pick<Loop, "state" | "now">, alerts: AlertOutbox) {
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
