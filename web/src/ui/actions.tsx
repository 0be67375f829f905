/** What a user can do about an agent or an incident, and the receipt of what was done. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { part, post } from "../api.js";
import type { Agent, Incident } from "../records.js";
import { may } from "../session.js";

interface Receipt {
  text: string;
  isBad: boolean;
}

/** By agent or incident. */
const receipts = signal<ReadonlyMap<string, Receipt>>(new Map());
const busy = signal<ReadonlySet<string>>(new Set());

function keepReceipt(about: string, receipt: Receipt): void {
  receipts.value = new Map([...receipts.value, [about, receipt]]);
}

/** Runs one request at a time about a thing, and shows its result beside it. */
async function perform(about: string, what: string, work: () => Promise<string>): Promise<boolean> {
  if (busy.value.has(about)) return false;
  busy.value = new Set([...busy.value, about]);
  keepReceipt(about, { text: `${what}…`, isBad: false });
  try {
    keepReceipt(about, { text: await work(), isBad: false });
    return true;
  } catch (error) {
    keepReceipt(about, { text: (error as Error).message, isBad: true });
    return false;
  } finally {
    busy.value = new Set([...busy.value].filter((one) => one !== about));
  }
}

export function ReceiptLine({ about }: { about: string }) {
  const receipt = receipts.value.get(about);
  return (
    <p class={`receipt ${receipt?.isBad ? "bad" : ""}`} role="status">
      {receipt ? `${receipt.isBad ? "× " : "✓ "}${receipt.text}` : ""}
    </p>
  );
}

interface ButtonProps {
  label: string;
  right: string;
  about: string;
  run: () => Promise<string>;
  /** Asked before it is done. */
  confirm?: string;
  shortcut?: string;
  tone?: string;
}

export function ActionButton({ label, right, about, run, confirm, shortcut, tone = "" }: ButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const isAllowed = may(right);
  const start = (): void => {
    setAsking(false);
    void perform(about, label, run);
  };
  if (isAsking)
    return (
      <span class="ask" role="group" aria-label={confirm}>
        <span>{confirm}</span>
        <button type="button" class="danger" onClick={start}>
          {label}
        </button>
        <button type="button" onClick={() => setAsking(false)}>
          Cancel
        </button>
      </span>
    );
  return (
    <button
      type="button"
      class={tone}
      disabled={!isAllowed || busy.value.has(about)}
      title={isAllowed ? undefined : `This session lacks the right ${right}.`}
      data-key={shortcut}
      onClick={() => (confirm === undefined ? start() : setAsking(true))}
    >
      {label}
    </button>
  );
}

interface OrderResult {
  result: string;
  reason: string;
}

export const recover = (agent: string) => async (): Promise<string> => {
  const { steps, reason } = await post<{ steps: (OrderResult & { do: string })[]; reason: string }>(
    `/v1/agents/${part(agent)}/recover`,
  );
  const done = steps.map((step) => `${step.do}: ${step.result}${step.reason ? ` (${step.reason})` : ""}`);
  return [...done, reason].filter(Boolean).join(". ");
};

export const acknowledge = (incident: string) => async (): Promise<string> => {
  await post(`/v1/incidents/${part(incident)}/ack`);
  return "Acknowledged. rouse takes no further action on it.";
};

const silence = (agent: string, secs: number | null) => async (): Promise<string> => {
  await post("/v1/silences", { what: agent, for_secs: secs });
  return secs === null ? "The silence has ended." : `Silenced for ${SILENCES.find(([, s]) => s === secs)?.[0] ?? ""}.`;
};

const SILENCES = [
  ["1 h", 3600],
  ["2 h", 7200],
  ["8 h", 28_800],
  ["1 d", 86_400],
] as const;

function SilenceMenu({ agent }: { agent: string }) {
  const isAllowed = may("admin");
  return (
    <select
      aria-label={`Silence ${agent}`}
      data-key="s"
      disabled={!isAllowed}
      title={isAllowed ? undefined : "This session lacks the right admin."}
      value=""
      onChange={({ currentTarget }) => {
        const secs = currentTarget.value === "end" ? null : Number(currentTarget.value);
        currentTarget.value = "";
        void perform(agent, "Silence", silence(agent, secs));
      }}
    >
      <option value="" disabled>
        Silence…
      </option>
      {SILENCES.map(([label, secs]) => (
        <option key={secs} value={secs}>
          for {label}
        </option>
      ))}
      <option value="end">end the silence</option>
    </select>
  );
}

function AllowMenu({ agent }: { agent: string }) {
  const isAllowed = may("admin");
  const set = (value: string) => async (): Promise<string> => {
    const allowed = value !== "off";
    const for_secs = value === "night" ? 8 * 3600 : null;
    await post("/v1/permissions", { agents: [agent], allowed, for_secs });
    return allowed ? `Auto-recovery is on${for_secs ? " for 8 h" : ""}.` : "Auto-recovery is off.";
  };
  return (
    <select
      aria-label={`Auto-recovery of ${agent}`}
      disabled={!isAllowed}
      title={isAllowed ? undefined : "This session lacks the right admin."}
      value=""
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        currentTarget.value = "";
        void perform(agent, "Auto-recovery", set(value));
      }}
    >
      <option value="" disabled>
        Auto-recovery…
      </option>
      <option value="on">on</option>
      <option value="night">on for 8 h</option>
      <option value="off">off</option>
    </select>
  );
}

/** Types one line. The daemon refuses while a dialog is open: a permission is never given by a click. */
function AnswerForm({ agent }: { agent: Agent }) {
  const [text, setText] = useState("");
  const isAllowed = may("control");
  const send = async (): Promise<string> => {
    const { result, reason } = await post<OrderResult>(`/v1/agents/${part(agent.name)}/input`, {
      text,
      timeout_secs: 5,
    });
    return `${result === "done" ? "Accepted" : `Typed, result: ${result}`}${reason ? `: ${reason}` : ""}.`;
  };
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        void perform(agent.name, "Type", send).then((isDone) => isDone && setText(""));
      }}
    >
      <label>
        <span class="sr">Answer {agent.name}</span>
        <input
          type="text"
          value={text}
          maxLength={10_000}
          disabled={!isAllowed}
          placeholder={agent.question === null ? "Type a line to the agent" : "Your answer"}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={!isAllowed || text.trim() === "" || busy.value.has(agent.name)}>
        Send
      </button>
    </form>
  );
}

/** A dialog of these kinds is answered in the terminal: a click must not give a permission. */
const IN_TERMINAL: ReadonlySet<string | null> = new Set([
  "permission",
  "confirmation",
  "plan",
  "trust",
  "login",
  "limit",
]);

export function AgentActions({ agent, incident }: { agent: Agent; incident: Incident | null }) {
  const { name } = agent;
  const needsTerminal = agent.state === "needs_input" && IN_TERMINAL.has(agent.cause);
  return (
    <div class="actions">
      {agent.ended_at === null && !needsTerminal ? <AnswerForm agent={agent} /> : null}
      {needsTerminal ? (
        <p class="hint">
          This is answered in the agent's own terminal: <code>rouse go {name}</code>
        </p>
      ) : null}
      <div class="buttons">
        {incident && incident.acked_at === null ? (
          <ActionButton label="Acknowledge" right="control" about={name} run={acknowledge(incident.id)} shortcut="x" />
        ) : null}
        <SilenceMenu agent={name} />
        <ActionButton
          label="Recover"
          right="control"
          about={name}
          run={recover(name)}
          confirm={`Run the recovery plan of ${name} now?`}
          shortcut="r"
        />
        <AllowMenu agent={name} />
        {agent.origin === "spawn" && agent.ended_at === null ? (
          <ActionButton
            label="Stop"
            right="control"
            about={name}
            run={async () => {
              const { result, reason } = await post<OrderResult>(`/v1/agents/${part(name)}/stop`);
              return `${result === "done" ? "Stopped" : result}${reason ? `: ${reason}` : ""}.`;
            }}
            confirm={`End ${name} and all its processes?`}
          />
        ) : null}
      </div>
      <ReceiptLine about={name} />
    </div>
  );
}

export function FeedbackButtons({ incident }: { incident: Incident }) {
  const mark = (feedback: "right" | "false-alarm") => async (): Promise<string> => {
    await post(`/v1/incidents/${part(incident.id)}/feedback`, { feedback });
    return feedback === "right"
      ? "Marked as right."
      : "Marked as a false alarm. rouse will wait longer before it reports this.";
  };
  return (
    <span class="buttons">
      <ActionButton label="Right" right="control" about={incident.id} run={mark("right")} />
      <ActionButton label="False alarm" right="control" about={incident.id} run={mark("false-alarm")} />
    </span>
  );
}
