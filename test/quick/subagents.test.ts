/** Subagents of all four programs: their own records and rows decide how long the agent may wait for them. */
import { describe, expect, it } from "vitest";
import { type Assessment, assess } from "../../src/core/judgement/assess.js";
import { createEvidence, takeSignal } from "../../src/core/judgement/evidence/evidence.js";
import type { Signal } from "../../src/core/signal.js";
import { ClaudeTranscriptReader } from "../../src/programs/claude-code/readers/transcript.js";
import { claudeCode } from "../../src/programs/claude-code/screens.js";
import { CodexRolloutReader } from "../../src/programs/codex/readers/rollout.js";
import { codex } from "../../src/programs/codex/screens.js";
import { GeminiChatReader } from "../../src/programs/gemini/readers/chat.js";
import { gemini } from "../../src/programs/gemini/screens.js";
import { OpenCodeReader } from "../../src/programs/opencode/readers/rows.js";
import { opencode } from "../../src/programs/opencode/screens.js";
import { traitsOf } from "../../src/programs/registry.js";
import type { AgentProfile } from "../../src/programs/shared/profile.js";
import type { RecordReader } from "../../src/readers/records/record-reader.js";
import { signalsOfSubagent } from "../../src/readers/records/subagent.js";
import { at } from "../support/judge-rig.js";
import { screen } from "../support/steps.js";

/** One session with the records of its subagents beside its own; times in seconds. */
class Session {
  readonly #evidence;
  constructor(profile: AgentProfile) {
    this.#evidence = createEvidence(traitsOf(profile));
  }
  take(...signals: Signal[]): this {
    for (const signal of signals) takeSignal(this.#evidence, signal);
    return this;
  }
  read(reader: RecordReader, t: number, record: object): this {
    const signals = reader.read(record, at(t));
    return this.take(...(reader.subagent === undefined ? signals : signalsOfSubagent(signals, reader.subagent)));
  }
  /** A busy screen with this text of the agent. */
  shows(t: number, reply: string): this {
    return this.take({ ...screen({ busy: true, moving: true, reply, composer: "empty" }), at: at(t) } as Signal);
  }
  says(t: number): string {
    const { state, cause } = this.full(t);
    return cause ? `${state}/${cause}` : state;
  }
  full(t: number): Assessment {
    return assess(this.#evidence, at(t));
  }
}

const call = (name: string, id: string, args: object) => ({
  type: "response_item",
  payload: { type: "function_call", name, call_id: id, arguments: JSON.stringify(args) },
});
const output = (id: string, text: string) => ({
  type: "response_item",
  payload: { type: "function_call_output", call_id: id, output: text },
});
const exited = "Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
const meta = (id: string, parent?: string) => ({
  type: "session_meta",
  payload: {
    id,
    session_id: parent ?? id,
    cwd: "/p",
    source: parent === undefined ? "cli" : { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } },
  },
});

/** Codex waits for an agent; the agent's thread has a rollout of its own. */
function codexWaits(): { session: Session; child: CodexRolloutReader } {
  const parent = new CodexRolloutReader();
  const child = new CodexRolloutReader();
  const session = new Session(codex)
    .read(parent, 0, meta("p"))
    .read(parent, 0, { type: "event_msg", payload: { type: "task_started" } })
    .shows(1, "I will let an agent look at it.")
    .read(parent, 1, call("spawn_agent", "c1", { message: "Look at it." }))
    .read(parent, 2, output("c1", '{"agent_id":"s"}'))
    .read(parent, 3, call("wait_agent", "c2", { targets: ["s"], timeout_ms: 3_600_000 }))
    .read(child, 3, meta("s", "p"))
    .read(child, 3, { type: "event_msg", payload: { type: "task_started" } });
  return { session, child };
}

describe("a subagent of Codex", () => {
  it("that hangs is reported within two minutes and a half, not when the wait times out", () => {
    const { session, child } = codexWaits();
    session.read(child, 5, call("exec_command", "x1", { cmd: "cat a" })).read(child, 6, output("x1", `${exited}a`));
    expect(session.says(60)).toBe("waiting/subagent");
    expect(session.full(60).until).toBeLessThan(at(180));
    expect(session.says(150)).toBe("stuck/silent_stream");
  });

  it("that runs a silent command is waited for", () => {
    const { session, child } = codexWaits();
    session.read(child, 5, call("exec_command", "x1", { cmd: "npm test" }));
    expect(session.says(600)).toBe("waiting/subagent");
  });

  it("whose command hangs is a hang", () => {
    const { session, child } = codexWaits();
    session.read(child, 5, call("exec_command", "x1", { cmd: "tail -f log" }));
    expect(session.says(200)).toBe("stuck/tool_hang");
  });

  it("that makes progress may take hours", () => {
    const { session, child } = codexWaits();
    for (let t = 10; t < 10_000; t += 80) {
      session
        .read(child, t, call("exec_command", `x${t}`, { cmd: `cat ${t}` }))
        .read(child, t + 1, output(`x${t}`, `${exited}${t}`));
      expect(session.says(t + 60)).toBe("waiting/subagent");
    }
  });

  it("that repeats one call is a loop at the fourth round", () => {
    const { session, child } = codexWaits();
    for (let n = 0; n < 4; n++) {
      session
        .read(child, 5 + 3 * n, { type: "token_usage_record", payload: {} })
        .read(child, 5 + 3 * n, call("exec_command", `x${n}`, { cmd: "cat a" }))
        .read(child, 6 + 3 * n, output(`x${n}`, `${exited}a`));
    }
    expect(session.says(16)).toBe("stuck/loop");
  });

  it("that ends its own turn does not end the turn of the session", () => {
    const { session, child } = codexWaits();
    session.read(child, 5, { type: "event_msg", payload: { type: "task_complete", last_agent_message: "Done." } });
    expect(session.says(30)).toBe("waiting/subagent");
  });

  it("does not repeat what another subagent did", () => {
    const { session } = codexWaits();
    for (const name of ["s1", "s2", "s3", "s4", "s5"]) {
      const other = new CodexRolloutReader();
      session
        .read(other, 5, meta(name, "p"))
        .read(other, 6, call("exec_command", `x${name}`, { cmd: "cat a" }))
        .read(other, 7, output(`x${name}`, `${exited}a`));
    }
    expect(session.says(20)).toBe("waiting/subagent");
  });

  it("does not repeat the error of another subagent", () => {
    const { session } = codexWaits();
    for (const [n, name] of ["s1", "s2", "s3", "s4", "s5", "s6"].entries()) {
      const other = new CodexRolloutReader();
      session
        .read(other, 5 + n, meta(name, "p"))
        .read(other, 6 + n, call("exec_command", `x${name}`, { cmd: `cat missing-${n}` }))
        .read(other, 7 + n, output(`x${name}`, "Process exited with code 1\nOutput:\ncat: missing: No such file"));
    }
    expect(session.says(20)).toBe("waiting/subagent");
  });

  it("alone is a conversation like any other", () => {
    const reader = new CodexRolloutReader();
    const signals = [meta("s", "p"), { type: "event_msg", payload: { type: "task_started" } }].flatMap((record) =>
      reader.read(record, at(0)),
    );
    expect(signals.map(({ kind }) => kind)).toContain("turn");
  });
});

const line = (type: string, content: object[], more: object = {}) => ({
  type,
  sessionId: "s1",
  version: "2.1.325",
  isSidechain: false,
  message: { id: `m${JSON.stringify(content).length}`, role: type, stop_reason: "end_turn", content },
  ...more,
});

/** Claude Code ends its turn and shows as busy until the agent that it launched returns. */
function claudeWaits(): { session: Session; child: ClaudeTranscriptReader } {
  const parent = new ClaudeTranscriptReader();
  const child = new ClaudeTranscriptReader();
  const side = { isSidechain: true, agentId: "a1" };
  const use = { type: "tool_use", id: "t1", name: "Agent", input: { prompt: "Look." } };
  const launched = { toolUseResult: { isAsync: true, status: "async_launched", agentId: "a1" } };
  const result = { type: "tool_result", tool_use_id: "t1", content: "Async agent launched successfully." };
  const session = new Session(claudeCode)
    .take({ kind: "status", source: "title", status: "working", at: at(0) })
    .shows(0, "Look at it.")
    .read(parent, 0, line("user", [{ type: "text", text: "Fix it." }]))
    .read(parent, 1, line("assistant", [use]))
    .read(parent, 2, line("user", [result], launched))
    .read(parent, 3, line("assistant", [{ type: "text", text: "An agent looks at it." }]))
    .read(parent, 3, { type: "system", subtype: "turn_duration", sessionId: "s1", version: "2.1.325" })
    .read(child, 3, line("user", [{ type: "text", text: "Look." }], side));
  return { session, child };
}

describe("a subagent of Claude Code that outlives the turn", () => {
  const bash = { type: "tool_use", id: "b1", name: "Bash", input: { command: "npm test" } };
  const side = { isSidechain: true, agentId: "a1" };

  it("that hangs is reported within two minutes and a half", () => {
    const { session } = claudeWaits();
    expect([session.says(60), session.says(150)]).toEqual(["waiting/subagent", "stuck/silent_stream"]);
  });

  it("that runs a silent command is waited for", () => {
    const { session, child } = claudeWaits();
    session.read(child, 5, line("assistant", [bash], side));
    expect(session.says(300)).toBe("waiting/subagent");
  });

  it("that only transcripts show is a stall after fifteen silent minutes, not after hours", () => {
    const result = { type: "tool_result", tool_use_id: "b1", content: "ok" };
    const { session, child } = claudeWaits();
    session
      .take({ kind: "status", source: "title", status: "idle", at: at(4) })
      .read(child, 5, line("assistant", [bash], side))
      .read(child, 60, line("user", [result], side));
    expect([session.says(600), session.says(1000)]).toEqual(["waiting/background", "stuck/silent_stream"]);
  });
});

describe("a subagent of OpenCode", () => {
  const table = (name: string, id: string, data: object, more: object) => ({ table: name, id, data, ...more });
  const row = (session: string, id: string, tool: string, state: object) =>
    table("part", id, { type: "tool", tool, callID: id, state }, { session_id: session, message_id: `m-${session}` });
  const task = { status: "running", input: { description: "look", prompt: "Look.", subagent_type: "general" } };

  const waiting = (): { session: Session; reader: OpenCodeReader } => {
    const reader = new OpenCodeReader({ follow: "p" });
    const session = new Session(opencode)
      .read(reader, 0, { table: "session", id: "p", parent_id: null, directory: "/p", version: "1.18.33" })
      .read(reader, 0, { table: "session", id: "c", parent_id: "p", directory: "/p", version: "1.18.33" })
      .read(reader, 0, table("message", "m-p", { role: "assistant", time: { created: 1 } }, { session_id: "p" }))
      .shows(1, "I will let an agent look at it.")
      .read(reader, 2, row("p", "t1", "task", task));
    return { session, reader };
  };

  it("that hangs is reported within two minutes and a half, not after two hours", () => {
    const { session, reader } = waiting();
    const read = { status: "completed", input: { filePath: "/a" }, output: "a" };
    session.read(reader, 5, row("c", "r1", "read", read));
    expect([session.says(60), session.says(150)]).toEqual(["waiting/subagent", "stuck/silent_stream"]);
  });

  it("that runs a silent command is waited for", () => {
    const { session, reader } = waiting();
    session.read(reader, 5, row("c", "b1", "bash", { status: "running", input: { command: "npm test" } }));
    expect(session.says(600)).toBe("waiting/subagent");
  });

  it("that nothing shows is waited for much longer", () => {
    const reader = new OpenCodeReader({ follow: "p" });
    const session = new Session(opencode)
      .read(reader, 0, { table: "session", id: "p", parent_id: null, directory: "/p", version: "1.18.33" })
      .read(reader, 0, table("message", "m-p", { role: "assistant", time: { created: 1 } }, { session_id: "p" }))
      .read(reader, 2, row("p", "t1", "task", task));
    expect(session.says(3600)).toBe("waiting/subagent");
  });
});

/** Neither the chat nor the screen of Gemini CLI shows that the call of a subagent runs: only its own file, when a call has ended. */
describe("a subagent of Gemini CLI", () => {
  const message = (id: string, type: string, more: object) => ({ id, type, ...more });
  const called = (n: number, name: string, args: object, response: object) =>
    message(`m${n}`, "gemini", {
      content: "",
      toolCalls: [{ id: `c${n}`, name, args, status: "success", result: [{ functionResponse: { name, response } }] }],
    });

  const waiting = (): { session: Session; child: GeminiChatReader } => {
    const parent = new GeminiChatReader();
    const child = new GeminiChatReader();
    const session = new Session(gemini)
      .take({ kind: "status", source: "title", status: "working", at: at(0) })
      .read(parent, 0, { sessionId: "p", projectHash: "x", kind: "main" })
      .read(parent, 0, message("u1", "user", { content: [{ text: "Fix it." }] }))
      .read(parent, 1, message("g1", "gemini", { content: "I will let an agent look at it." }))
      .shows(1, "I will let an agent look at it.")
      .read(child, 2, { sessionId: "c", projectHash: "x", kind: "subagent" })
      .read(child, 2, message("u2", "user", { content: [{ text: "Look." }] }));
    return { session, child };
  };
  const process = (t: number, more: object): Signal =>
    ({ kind: "process", source: "process", at: at(t), alive: true, ...more }) as Signal;

  it("that hangs is reported within five minutes: its retries are as silent", () => {
    const { session, child } = waiting();
    session.read(child, 5, called(1, "read_file", { file_path: "a" }, { output: "a" }));
    expect([session.says(200), session.says(310)]).toEqual(["working", "stuck/silent_stream"]);
  });

  it("that runs a silent command is waited for", () => {
    const { session } = waiting();
    session.take(
      process(6, { children: 1, newestChildAt: at(5) }),
      process(590, { children: 1, newestChildAt: at(5) }),
    );
    expect(session.says(600)).toBe("waiting/tool");
  });

  it("that repeats one call is a loop", () => {
    const { session, child } = waiting();
    for (let n = 0; n < 5; n++)
      session.read(child, 5 + 3 * n, called(n, "run_shell_command", { command: "cat a" }, { output: "a" }));
    expect(session.says(20)).toBe("stuck/loop");
  });
});
