import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { typedAt } from "../../src/sensors/process/typed-at.js";
import { NO_TMUX, RecordedAgent, RULES, TestServer, until, Watch } from "../support/tmux.js";

const SIZE = ["-x", "120", "-y", "40"];

describe.skipIf(NO_TMUX !== null)(`agents in tmux${NO_TMUX ? ` (not run: ${NO_TMUX})` : ""}`, () => {
  let server: TestServer;
  let watch: Watch | null;

  beforeEach(() => {
    server = new TestServer();
    watch = null;
  });
  afterEach(async () => {
    await watch?.stop();
    await server.stop();
  });

  async function codex(session: string, second: number): Promise<RecordedAgent> {
    const agent = await RecordedAgent.of(server, "codex/permission", "codex", second);
    await server.tmux("new-session", "-d", "-s", session, ...SIZE, ...agent.command);
    return agent;
  }

  const adopted = (name: string) => until(`${name} is adopted`, () => watch?.agent(name));
  const judged = (session: string, state: string, cause: string | null = null) =>
    until(`${session} is ${state}`, () => {
      const verdict = watch?.judge(session);
      return verdict?.state === state && verdict.cause === cause;
    });

  it("are adopted by their program and followed from idle through work to a permission dialog", async () => {
    const agent = await codex("crew", 3);
    watch = new Watch(server);
    const found = await adopted("crew");
    expect(found).toMatchObject({ kind: "codex", origin: "tmux", pane: { socket: server.socket, id: "%0" } });
    expect(found.command[0]).toMatch(/codex$/);
    await judged(found.id, "idle");
    agent.playTo(5.5);
    await judged(found.id, "working");
    agent.playTo(20);
    await judged(found.id, "needs_input", "permission");
  });

  it("are adopted by tag, with name, task and kind from the user's options", async () => {
    const agent = await RecordedAgent.of(server, "claude/permission", "wrapper", 1);
    await server.tmux("new-session", "-d", "-s", "x", ...SIZE, ...agent.command);
    watch = new Watch(server);
    await server.tmux("set-option", "-t", "x", "@rouse_name", "ada");
    await server.tmux("set-option", "-t", "x", "@rouse_task", "T-7");
    await server.tmux("set-option", "-t", "x", "@rouse_kind", "claude-code");
    await server.tmux("set-option", "-t", "x", "@rouse_tags", "night, worker");
    const found = await adopted("ada");
    expect(found).toMatchObject({ kind: "claude-code", tags: ["night", "worker"], task: "T-7" });
    agent.playTo(60);
    await judged(found.id, "needs_input", "permission");
  });

  it("are adopted by name pattern, except rouse's own panes", async () => {
    for (const name of ["bug-7-worker", "own-worker", "other"]) {
      await server.tmux("new-session", "-d", "-s", name, ...SIZE, "sleep", "1000");
    }
    await server.tmux("set-option", "-t", "own-worker", "@rouse_own", "1");
    watch = new Watch(server, { rules: { ...RULES, pattern: ".*-worker$" } });
    await adopted("bug-7-worker");
    await until("two more checks", () => (watch?.seen.length ?? 0) >= 2);
    expect(watch.watcher.sessions.map((one) => one.name)).toEqual(["bug-7-worker"]);
  });

  it("keep the same run through rename, split, resize, swap, break and a moved window", async () => {
    const agent = await codex("crew", 3);
    watch = new Watch(server, { rules: { ...RULES, tags: [], pattern: "^crew$" } });
    const { id: session } = await adopted("crew");
    await judged(session, "idle");
    await server.tmux("rename-session", "-t", "crew", "band");
    await until("the new name", () => watch?.last(session)?.session.name === "band");
    await server.tmux("split-window", "-d", "-t", "%0", "-l", "10");
    await server.tmux("new-window", "-d", "-t", "band", "sleep", "1000");
    await server.tmux("resize-window", "-t", "band:0", "-x", "100", "-y", "45");
    await server.tmux("swap-pane", "-d", "-s", "%0", "-t", "%2");
    await server.tmux("break-pane", "-d", "-s", "%0");
    await server.tmux("new-session", "-d", "-s", "else", ...SIZE, "sleep", "1000");
    await server.tmux(
      "move-window",
      "-d",
      "-s",
      await server.tmux("display", "-p", "-t", "%0", "#{window_id}"),
      "-t",
      "else:9",
    );
    await until("the last name", () => watch?.last(session)?.session.name === "else");
    agent.playTo(20);
    await judged(session, "needs_input", "permission");
    expect(watch.watcher.sessions.map((one) => one.id)).toEqual([session]);
    expect(watch.seen.every((one) => one.liveness === "alive")).toBe(true);
  });

  it("are reported as ended with a dead pane, with its exit code if tmux knows it, and with a closed pane", async () => {
    const agent = await codex("kept", 3);
    await server.tmux("set-option", "-t", "kept", "-w", "remain-on-exit", "on");
    await codex("closed", 3);
    watch = new Watch(server);
    const kept = await adopted("kept");
    const closed = await adopted("closed");
    agent.exit(3);
    await until("the first one's end", () => watch?.last(kept.id)?.liveness === "gone");
    await server.tmux("kill-session", "-t", "closed");
    await until("the second one's end", () => watch?.last(closed.id)?.liveness === "gone");
    // tmux 3.3a shows some dead panes without a status forever: in 4 of 10 runs here.
    expect(watch.signals(kept.id, "exit")).toHaveLength(1);
    expect([3, null]).toContain((watch.signals(kept.id, "exit")[0] as { code?: unknown }).code);
    expect(watch.signals(closed.id, "exit")).toMatchObject([{ code: null, signal: null }]);
    expect(watch.last(kept.id)?.session.endedAt).toBeGreaterThan(0);
  });

  it("are reported as ended below a shell, and the next one in the same pane is another run", async () => {
    const first = await RecordedAgent.of(server, "codex/permission", "codex", 3);
    const second = await RecordedAgent.of(server, "codex/permission", "codex", 3);
    const line = `${first.command.join(" ")}; sleep 1; ${second.command.join(" ")}; sleep 1000`;
    await server.tmux("new-session", "-d", "-s", "shell", ...SIZE, "sh", "-c", line);
    watch = new Watch(server);
    const { id: session, pid } = await adopted("shell");
    expect(String(pid)).not.toBe(await server.tmux("display", "-p", "-t", "%0", "#{pane_pid}"));
    first.exit(0);
    await until("its end", () => watch?.last(session)?.liveness === "gone");
    const next = await until("the next", () => watch?.watcher.sessions[0]);
    expect(next.id).not.toBe(session);
    expect(next.name).toBe("shell");
  });

  it("that end right after input in the pane are taken as the user's own quit", async () => {
    const agent = await RecordedAgent.of(server, "codex/permission", "codex", 3);
    await server.tmux("new-session", "-d", "-s", "quit", ...SIZE, "sh", "-c", `${agent.command.join(" ")}; sleep 1000`);
    watch = new Watch(server);
    const { id: session, startedAt } = await adopted("quit");
    await judged(session, "idle");
    const tty = await server.tmux("display", "-p", "-t", "%0", "#{pane_tty}");
    // The system reports the time of a key in steps of eight seconds, and input at the start does not count.
    await until("a key that counts", async () => {
      await server.tmux("send-keys", "-t", "%0", "x");
      return typedAt(tty, startedAt) !== null;
    });
    agent.exit(0);
    await until("its end", () => watch?.last(session)?.liveness === "gone");
    expect(watch.signals(session, "exit")).toMatchObject([{ code: null, signal: null, typedAt: expect.any(Number) }]);
    expect(watch.judge(session)).toMatchObject({
      state: "idle",
      reasons: [
        expect.stringMatching(
          /^A user typed .* \(human\); the process exited .* \(process\); its exit status is not known$/,
        ),
      ],
    });
  });

  it("of a killed server are gone, and those of the next server at the same socket are found", async () => {
    await codex("crew", 3);
    watch = new Watch(server);
    const { id: session } = await adopted("crew");
    await server.tmux("kill-server");
    await until("gone", () => watch?.last(session)?.liveness === "gone");
    await codex("crew", 3);
    const next = await until("the next", () => watch?.watcher.sessions[0]);
    expect(next.id).not.toBe(session);
    await judged(next.id, "idle");
  });

  it("have names, titles, folders and options that execute nothing", async () => {
    const pwned = join(server.folder, "pwned");
    const evil = `#(touch ${pwned})$(touch ${pwned})\`touch ${pwned}\`'";touch ${pwned};%exit\n%end 1 1 1\n\u001b]0;x\u0007`;
    // tmux expands given names, so they must be escaped as formats.
    const name = evil.replaceAll("#", "##");
    const drawn = `\\033]2;#(touch ${pwned})\\033\\\\%%end 1 1 1\\n%%exit\\n`;
    await server.tmux(
      "new-session",
      "-d",
      "-s",
      name,
      "-n",
      name,
      ...SIZE,
      "sh",
      "-c",
      `printf '${drawn}'; sleep 1000`,
    );
    for (const option of ["@rouse_name", "@rouse_task", "@rouse_kind"]) await server.tmux("set-option", option, evil);
    await server.tmux("set-option", "@rouse_tags", `worker ${evil}`);
    watch = new Watch(server);
    const found = await until("it is adopted", () => watch?.watcher.sessions[0]);
    await until("a screen", () => watch && watch.signals(found.id, "screen").length > 0);
    expect(found.name).not.toMatch(/[\u0000-\u001f]/);
    expect(found.kind).toBe("generic");
    expect(existsSync(pwned)).toBe(false);
    expect(watch.last(found.id)?.liveness).toBe("alive");
  });

  it("are unknown, never gone, while their server does not answer, and the gap is reported", async () => {
    await codex("crew", 3);
    watch = new Watch(server);
    const { id: session } = await adopted("crew");
    await judged(session, "idle");
    const pid = Number(await server.tmux("display", "-p", "#{pid}"));
    process.kill(pid, "SIGSTOP");
    try {
      await until("unknown", () => watch?.last(session)?.liveness === "unknown");
      expect(watch.last(session)?.blind).toMatch(/did not answer/);
      await new Promise((done) => setTimeout(done, 3000));
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await until("alive", () => watch?.last(session)?.liveness === "alive");
    expect(watch.signals(session, "exit")).toEqual([]);
    await until("the gap", () => watch && watch.signals(session, "gap").length === 1);
    expect(watch.watcher.sessions.map((one) => one.id)).toEqual([session]);
  });

  it("survive a socket that is missing for a moment, and are followed to a moved one", async () => {
    const agent = await codex("crew", 3);
    watch = new Watch(server);
    const { id: session } = await adopted("crew");
    const moved = join(server.folder, `tmux-${process.getuid?.()}`, "other");
    mkdirSync(dirname(moved));
    renameSync(server.socket, moved);
    await until("its new path", () => watch?.last(session)?.session.pane?.socket === moved);
    await until("alive", () => watch?.last(session)?.liveness === "alive");
    expect(watch.seen.some((one) => one.liveness === "unknown")).toBe(true);
    agent.playTo(20);
    await judged(session, "needs_input", "permission");
    expect(watch.signals(session, "exit")).toEqual([]);
    renameSync(moved, server.socket);
  });

  it("are not reported as gone if tmux itself cannot be run", async () => {
    const tmux = join(server.folder, "tmux");
    symlinkSync(execFileSync("which", ["tmux"], { encoding: "utf8" }).trim(), tmux);
    await codex("crew", 3);
    watch = new Watch(server, { program: tmux });
    const { id: session } = await adopted("crew");
    rmSync(tmux);
    await until("unknown", () => watch?.last(session)?.liveness === "unknown");
    writeFileSync(tmux, "#!/bin/sh\necho nonsense\necho 'can\\'t find pane' >&2\nexit 1\n", { mode: 0o755 });
    await new Promise((done) => setTimeout(done, 1500));
    expect(watch.signals(session, "exit")).toEqual([]);
    expect(watch.last(session)?.liveness).toBe("unknown");
  });

  describe("with a user in the session", () => {
    let person: IPty;

    async function attach(session: string): Promise<void> {
      person = spawn("tmux", ["-S", server.socket, "attach", "-t", session], { cols: 120, rows: 41, name: "xterm" });
      await until("attached", async () => (await clients()) === 1);
    }
    const clients = async () => (await server.tmux("list-clients", "-F", "x")).split("\n").filter(Boolean).length;

    afterEach(() => person.kill());

    it("are watched by control mode, which changes neither size nor environment, and leaves with the user", async () => {
      const agent = await codex("crew", 3);
      await attach("crew");
      const environment = await server.tmux("show-environment", "-t", "crew");
      watch = new Watch(server, { env: { TMUX_TMPDIR: server.folder } });
      const { id: session } = await adopted("crew");
      await until("joined", async () => (await clients()) === 2);
      const flags = await server.tmux("list-clients", "-F", "#{client_flags}");
      expect(flags).toMatch(/control-mode,ignore-size,no-output,read-only/);
      agent.playTo(20);
      await judged(session, "needs_input", "permission");
      expect(await server.tmux("display", "-p", "-t", "%0", "#{pane_width}x#{pane_height}")).toBe("120x40");
      expect(await server.tmux("show-environment", "-t", "crew")).toBe(environment);
      person.resize(100, 31);
      await until(
        "the new size",
        async () => (await server.tmux("display", "-p", "-t", "%0", "#{pane_width}x#{pane_height}")) === "100x30",
      );
      await server.tmux("split-window", "-d", "-t", "%0", "-l", "5");
      await server.tmux("rename-session", "-t", "crew", "band");
      await until("the new name", () => watch?.last(session)?.session.name === "band");
      await server.tmux("detach-client", "-t", (person as unknown as { _pty: string })._pty);
      await until("left", async () => (await clients()) === 0);
      expect(watch.last(session)?.liveness).toBe("alive");
      expect(watch.seen.some((one) => one.liveness !== "alive")).toBe(false);
    });

    it.each([
      ["a hook of the user", ["set-hook", "-g", "client-attached", "display-message hello"]],
      ["focus events", ["set-option", "-s", "focus-events", "on"]],
      ["an option that ends sessions", ["set-option", "-g", "exit-unattached", "on"]],
    ])("are not watched by control mode if one more client would be visible: %s", async (_, setting) => {
      await codex("crew", 3);
      await attach("crew");
      await server.tmux(...setting);
      watch = new Watch(server);
      const { id: session } = await adopted("crew");
      await judged(session, "idle");
      expect(await clients()).toBe(1);
    });

    it("are not slowed down when the watcher stops", async () => {
      await codex("crew", 3);
      await attach("crew");
      watch = new Watch(server);
      await adopted("crew");
      await until("joined", async () => (await clients()) === 2);
      const count = join(server.folder, "count");
      const flood = `i=0; while [ $i -lt 100 ]; do i=$((i+1)); seq 1 10000; done; echo done > ${count}`;
      const now = (...args: string[]) => execFileSync("tmux", ["-S", server.socket, ...args]);
      now("detach-client", "-t", (person as unknown as { _pty: string })._pty);
      const alone = () => String(now("list-clients", "-F", "x")) === "x\n";
      for (let tries = 0; tries < 200 && !alone(); tries++);
      expect(alone()).toBe(true);
      now("new-window", "-d", "-t", "crew", "sh", "-c", flood);
      // This process is blocked until then: it reads no reply, no notice and no output.
      const end = Date.now() + 15_000;
      while (!existsSync(count) && Date.now() < end) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      expect(existsSync(count)).toBe(true);
    });
  });
});
