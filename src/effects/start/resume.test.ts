import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Action } from "../../core/action.js";
import type { AgentSession } from "../../core/agent.js";
import { createEvidence } from "../../core/judgement/evidence/evidence.js";
import { profileFor } from "../../programs/registry.js";
import { identityOf } from "../../sensors/process/process-sensor.js";
import type { EffectContext, OpenSession } from "../context.js";
import { resumeAgent } from "./resume.js";

const CONVERSATION = "0c9f4a52-0000-4000-8000-1234567890ab";
const dead = { pid: process.pid, pidStart: "another process" };
const living = { pid: process.pid, pidStart: identityOf(process.pid) };

async function resumed(
  agent: Partial<AgentSession>,
  others: readonly Partial<OpenSession>[] = [],
  transcript: string | null = null,
) {
  const evidence = createEvidence();
  evidence.session.id = CONVERSATION;
  const context = {
    now: () => 0,
    sleep: async () => {},
    profileOf: (kind: string) => profileFor(kind, []),
    evidence: () => evidence,
    transcript: () => transcript,
    others: () => others,
    paths: { sessions: "/none" },
  } as unknown as EffectContext;
  const session = { id: "s1", name: "a", kind: "claude-code", origin: "spawn", command: ["claude"], ...dead, ...agent };
  const { result, reason } = await resumeAgent({ deadlineMs: 1000 } as Action, session as AgentSession, context);
  return `${result}: ${reason}`;
}

describe("a resume is refused", () => {
  it("in a terminal that rouse does not own", async () => {
    expect(await resumed({ origin: "run" })).toBe("refused: rouse does not own its terminal");
  });

  it("while the old process runs, or if that is unknown", async () => {
    expect(await resumed(living)).toBe("refused: the old process is still running");
    expect(await resumed({ pid: null })).toBe("refused: cannot tell whether the old process has exited");
  });

  it("if a running session has the conversation open, not if that session ended or has another one", async () => {
    const other = { name: "b", transcript: null, conversation: CONVERSATION };
    expect(await resumed({}, [{ ...other, ...living }])).toBe("refused: b has this conversation open");
    const free = "refused: agents cannot be started here";
    expect(await resumed({}, [{ ...other, ...dead }])).toBe(free);
    expect(await resumed({}, [{ ...other, ...living, conversation: "another" }])).toBe(free);
  });

  it("if a running session writes the same transcript", async () => {
    const other = { name: "b", conversation: null, transcript: "/t.jsonl", ...living };
    expect(await resumed({}, [other], "/t.jsonl")).toBe("refused: b has this conversation open");
    expect(await resumed({}, [{ ...other, transcript: null }])).toBe("refused: agents cannot be started here");
  });

  it.runIf(process.platform === "linux")(
    "if the program's own supervisor has taken the conversation over",
    async () => {
      const home = mkdtempSync(join(tmpdir(), "rouse-resume-"));
      const code = 'console.log("up"); setInterval(() => {}, 1000)';
      const child = spawn(process.execPath, ["-e", code], {
        argv0: "claude bg-spare",
        env: { HOME: home },
        stdio: ["ignore", "pipe", "ignore"],
      });
      try {
        await once(child.stdout, "data");
        const own = { pid: child.pid, sessionId: CONVERSATION, kind: "bg", jobId: "4a5f578d" };
        mkdirSync(join(home, ".claude", "sessions"), { recursive: true });
        writeFileSync(join(home, ".claude", "sessions", `${child.pid}.json`), JSON.stringify(own));
        expect(await resumed({})).toBe("refused: the program's own supervisor has this conversation open");
      } finally {
        child.kill("SIGKILL");
        await once(child, "exit");
        rmSync(home, { recursive: true });
      }
    },
  );
});
