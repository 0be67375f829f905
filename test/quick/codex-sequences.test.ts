/** Sequences of rollout lines of Codex: commands that outlast a call, and calls that ask for permission. */
import { describe, expect, it } from "vitest";
import { at, JudgeRig } from "../support/judge-rig.js";

describe("a command of Codex", () => {
  it("that asks for a user name is waiting on its standard input, and work once the model answers", () => {
    const rig = new JudgeRig();
    const running = (text: string) => `Wall time: 3.0 seconds\nProcess running with session ID 7\nOutput:\n${text}`;
    const write = (t: number, id: string, chars: string) =>
      rig.rollout(t, "response_item", {
        type: "function_call",
        name: "write_stdin",
        call_id: id,
        arguments: JSON.stringify({ session_id: 7, chars, yield_time_ms: 300_000 }),
      });
    const returns = (t: number, id: string, output: string) =>
      rig.rollout(t, "response_item", { type: "function_call_output", call_id: id, output });
    rig.rollout(0, "event_msg", { type: "task_started" });
    rig.rollout(1, "response_item", {
      type: "function_call",
      name: "exec_command",
      call_id: "c1",
      arguments: JSON.stringify({ cmd: "git fetch", tty: true }),
    });
    returns(4, "c1", running("Username for 'https://git.example.com': "));
    write(5, "c2", "");
    expect([rig.at(7), rig.at(12)]).toEqual(["working", "stuck/waiting_on_stdin"]);
    returns(20, "c2", running("Username for 'https://git.example.com': "));
    write(21, "c3", "dev\n");
    expect(rig.at(60)).toBe("waiting/background");
    returns(61, "c3", running("remote: counting objects"));
    write(62, "c4", "");
    expect(rig.at(120)).toBe("waiting/background");
  });
  it("is over once a later call shows that it exited", () => {
    const rig = new JudgeRig();
    rig.rollout(0, "event_msg", { type: "task_started" });
    rig.rollout(0, "event_msg", { type: "user_message", message: "Run the build." });
    rig.rollout(1, "response_item", {
      type: "function_call",
      name: "exec_command",
      call_id: "c1",
      arguments: JSON.stringify({ cmd: "make all" }),
    });
    rig.rollout(11, "response_item", {
      type: "function_call_output",
      call_id: "c1",
      output: "Chunk ID: a\nWall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\ncc a.c",
    });
    rig.rollout(12, "response_item", {
      type: "function_call",
      name: "write_stdin",
      call_id: "c2",
      arguments: JSON.stringify({ session_id: 7, chars: "" }),
    });
    rig.rollout(40, "response_item", {
      type: "function_call_output",
      call_id: "c2",
      output: "Chunk ID: b\nWall time: 28.0 seconds\nProcess exited with code 0\nOutput:\ndone",
    });
    rig.rollout(45, "response_item", {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "The build is done." }],
    });
    rig.rollout(45, "event_msg", { type: "task_complete", last_agent_message: "The build is done." });
    expect(rig.at(60)).toBe("complete");
  });
  it("that was approved and runs is not a permission request, with starts in whole seconds", () => {
    const rig = new JudgeRig();
    rig.rollout(0, "event_msg", { type: "task_started" });
    rig.rollout(1, "response_item", {
      type: "function_call",
      name: "shell",
      call_id: "c1",
      arguments: JSON.stringify({ command: ["npm", "test"], with_escalated_permissions: true }),
    });
    rig.take([
      { kind: "process", source: "process", at: at(2), alive: true, children: 1, cpuMs: 1, newestChildAt: at(0.9) },
    ]);
    expect(rig.at(30)).toBe("waiting/tool");
  });
  it("that asks for permission is found beside a longer call", () => {
    const rig = new JudgeRig();
    rig.rollout(0, "event_msg", { type: "task_started" });
    rig.rollout(1, "response_item", {
      type: "function_call",
      name: "shell",
      call_id: "c1",
      arguments: JSON.stringify({ command: ["rm", "-r", "/x"], with_escalated_permissions: true }),
    });
    rig.rollout(1, "response_item", {
      type: "function_call",
      name: "shell",
      call_id: "c2",
      arguments: JSON.stringify({ command: ["npm", "test"] }),
    });
    expect(rig.at(30)).toBe("needs_input/permission");
  });
  it("that the user allowed for good is not a permission request any more", () => {
    const rig = new JudgeRig();
    rig.rollout(0, "event_msg", { type: "task_started" });
    const call = (t: number, id: string) =>
      rig.rollout(t, "response_item", {
        type: "function_call",
        name: "shell_command",
        call_id: id,
        arguments: JSON.stringify({ command: "gh api repos", sandbox_permissions: "require_escalated" }),
      });
    const output = (t: number, id: string, seconds: number) =>
      rig.rollout(t, "response_item", {
        type: "function_call_output",
        call_id: id,
        output: `Exit code: 0\nWall time: ${seconds} seconds\nOutput:\n{}`,
      });
    call(1, "c1");
    expect(rig.at(20)).toBe("needs_input/permission");
    output(40, "c1", 6);
    call(50, "c2");
    expect(rig.at(70)).toBe("needs_input/permission");
    output(71, "c2", 20.4);
    call(80, "c3");
    expect(rig.at(100)).toBe("waiting/tool");
  });
  it.each([
    ["exec_command", { cmd: "git push" }],
    ["shell", { command: ["git", "push"], timeout_ms: 20_000 }],
  ])("that %s should have ended long ago waits for approval, if the policy asks", (name, args) => {
    const rig = new JudgeRig();
    rig.rollout(0, "turn_context", { approval_policy: "on-request" });
    rig.rollout(0, "event_msg", { type: "task_started" });
    rig.rollout(1, "response_item", { type: "function_call", name, call_id: "c1", arguments: JSON.stringify(args) });
    expect([rig.at(60), rig.at(90), rig.at(9000)]).toEqual([
      "waiting/tool",
      "needs_input/permission",
      "needs_input/permission",
    ]);
    rig.rollout(9010, "turn_context", { approval_policy: "never" });
    expect(rig.at(9011)).not.toBe("needs_input/permission");
  });
  it("in the background is one entry, however often it is polled", () => {
    const rig = new JudgeRig();
    rig.rollout(0, "event_msg", { type: "task_started" });
    rig.rollout(1, "response_item", {
      type: "function_call",
      name: "exec_command",
      call_id: "c1",
      arguments: JSON.stringify({ cmd: "make all" }),
    });
    rig.rollout(11, "response_item", {
      type: "function_call_output",
      call_id: "c1",
      output: "Process running with session ID 7\nOutput:\n",
    });
    for (let n = 2; n < 6; n++) {
      rig.rollout(n * 20, "response_item", {
        type: "function_call",
        name: "write_stdin",
        call_id: `c${n}`,
        arguments: JSON.stringify({ session_id: 7, chars: "" }),
      });
      rig.rollout(n * 20 + 10, "response_item", {
        type: "function_call_output",
        call_id: `c${n}`,
        output: "Process running with session ID 7\nOutput:\n",
      });
    }
    expect([...rig.evidence.tools.behind.keys()]).toEqual(["c1"]);
  });
  it("that pages through one file after the other with sed makes progress", () => {
    const rig = new JudgeRig();
    rig.rollout(0, "event_msg", { type: "task_started" });
    rig.rollout(0, "event_msg", { type: "user_message", message: "Read the sources." });
    for (let n = 0; n < 24; n++) {
      const cmd = `sed -n '1,200p' src/file${n}.ts`;
      const [t, call_id] = [5 + n * 5, `c${n}`];
      rig.rollout(t, "response_item", {
        type: "function_call",
        name: "exec_command",
        call_id,
        arguments: JSON.stringify({ cmd }),
      });
      const output = `Process exited with code 0\nOutput:\nexport const file${n} = "${"abcdefgh"[n % 8]}";`;
      rig.rollout(t + 1, "response_item", { type: "function_call_output", call_id, output });
      rig.rollout(t + 1, "event_msg", { type: "token_count" });
    }
    expect(rig.at(127)).toBe("working");
  });
});
