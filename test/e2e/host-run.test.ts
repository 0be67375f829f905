import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { type FoundSession, findSession } from "../../src/terminal/registry.js";
import { FakeDaemon } from "../support/fake-daemon.js";
import {
  BIN,
  closeHome,
  type Home,
  hasTmux,
  makeHome,
  rouse,
  rouseInTerminal,
  TestTerminal,
  until,
} from "../support/hosts.js";

const RUNS = process.env.ROUSE_FULL === "1" ? 200 : 5;

let home: Home;

beforeEach(() => {
  home = makeHome();
});

afterEach(async () => {
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

describe("rouse run in a terminal", () => {
  it("shows exactly the bytes of the program, to the end", async () => {
    const wanted = Array.from({ length: 3000 }, (_, n) => `${n + 1}\r\n`).join("");
    for (let n = 0; n < RUNS; n++) {
      const terminal = rouseInTerminal(home, ["run", "--", "seq", "1", "3000"]);
      expect(await terminal.exited).toEqual({ code: 0, signal: null });
      expect(terminal.text === wanted, `run ${n}: ${terminal.text.length} of ${wanted.length}`).toBe(true);
    }
  });

  it.each([
    ["exit 7", { code: 7, signal: null }],
    ["kill -TERM $$", { code: null, signal: 15 }],
    ["kill -KILL $$", { code: null, signal: 9 }],
    ["kill -SEGV $$", { code: 139, signal: null }],
  ])("exits as %j does", async (script, exit) => {
    const terminal = rouseInTerminal(home, ["run", "--", "sh", "-c", script]);
    expect(await terminal.exited).toEqual(exit);
  });

  it("reports a command that does not exist as a shell does", async () => {
    const terminal = rouseInTerminal(home, ["run", "--", "no-such-program-here"]);
    expect(await terminal.exited).toEqual({ code: 127, signal: null });
    expect(terminal.text).toContain("no-such-program-here: command not found");
  });

  it("passes keys, colours, paste and mouse unchanged in both directions", async () => {
    const keys = "a\u001b[A\u001b[200~two\nlines\u001b[201~\u001b[<0;10;5M\u0003\u001a\u001b[1;2Rü";
    const count = Buffer.byteLength(keys);
    const terminal = rouseInTerminal(home, [
      "run",
      "--",
      "sh",
      "-c",
      `stty raw -echo; printf '\\033[31mred\\033[0m\\033[?2004h ready'; head -c ${count} | od -An -v -tx1; exit 0`,
    ]);
    await terminal.shows("\u001b[31mred\u001b[0m\u001b[?2004h ready");
    terminal.write(keys);
    expect((await terminal.exited).code).toBe(0);
    const seen = terminal.text.slice(terminal.text.indexOf("ready") + 5).replace(/[^0-9a-f]/g, "");
    expect(seen).toBe(Buffer.from(keys).toString("hex"));
  });

  it("answers no query of the program: the terminal does", async () => {
    const terminal = rouseInTerminal(home, [
      "run",
      "--",
      "sh",
      "-c",
      "stty raw -echo min 0 time 5; printf '\\033[c\\033[6n\\033]7501;?\\033\\\\\\033[?2026$p'; head -c 1 | wc -c; exit 0",
    ]);
    await terminal.exited;
    expect(terminal.text).toMatch(/p0\s*$/);
  });

  it("gives the program the size of the terminal, and each new size", async () => {
    const terminal = rouseInTerminal(home, [
      "run",
      "--",
      "sh",
      "-c",
      "trap 'stty size; exit 0' WINCH; stty size; while :; do sleep 0.05; done",
    ]);
    await terminal.shows("30 100");
    terminal.pty.resize(132, 43);
    await terminal.shows("43 132");
    await terminal.exited;
  });

  it("gives the program the size in pixels, and each new one", async () => {
    const script =
      '$| = 1; sub size { my $s = pack("S4"); ioctl(STDIN, 21523, $s); print join(" ", unpack("S4", $s)), "\\n" }' +
      " $SIG{WINCH} = sub { size() }; size(); sleep 1 for 1..60;";
    const size = { cols: 100, rows: 30, pixels: { width: 900, height: 540 } };
    const terminal = rouseInTerminal(home, ["run", "--", "perl", "-e", script], size);
    await terminal.shows("30 100 900 540");
    // Another font: the same rows and columns.
    terminal.pty.resize(100, 30, { width: 1000, height: 600 });
    await terminal.shows("30 100 1000 600");
    terminal.write("\u0003");
    await terminal.exited;
  });

  it("restores the terminal, even if the program is killed in raw mode", async () => {
    const script = join(home.path, "killed.sh");
    writeFileSync(script, "stty raw -echo\nprintf '\\033[?1049h\\033[?1000h\\033[?25l'\nkill -KILL $$\n");
    const terminal = new TestTerminal(home, [
      "sh",
      "-c",
      `stty -g >before; "$@"; echo "code $?"; stty -g >after`,
      "sh",
      process.execPath,
      BIN,
      "run",
      "--",
      "sh",
      script,
    ]);
    await terminal.exited;
    expect(readFileSync(join(home.path, "after"), "utf8")).toBe(readFileSync(join(home.path, "before"), "utf8"));
    expect(terminal.text).toContain("code 137");
    expect(terminal.text).toContain("\u001b[?1049l\u001b[?1000l\u001b[?25h");
  });

  it("passes a signal to the program", async () => {
    const terminal = rouseInTerminal(home, [
      "run",
      "--",
      "sh",
      "-c",
      "trap 'echo asked; exit 5' TERM; echo ready; while :; do sleep 0.05; done",
    ]);
    await terminal.shows("ready");
    process.kill(terminal.pty.pid, "SIGTERM");
    expect(await terminal.exited).toEqual({ code: 5, signal: null });
    expect(terminal.text).toContain("asked");
  });

  it.each([
    ["a program that leaves Ctrl-Z to the system", "echo ready; trap 'echo awake' CONT; while :; do sleep 0.1; done"],
    [
      "a program that reads keys and stops itself",
      "stty raw -echo; echo ready; head -c 1 >/dev/null; kill -STOP $$; echo awake; sleep 100",
    ],
  ])("suspends %s with Ctrl-Z, and resumes it", async (_what, script) => {
    const shell = new TestTerminal(home, ["bash", "--norc", "--noprofile", "-i"]);
    const file = join(home.path, "agent.sh");
    writeFileSync(file, script);
    shell.write(`PS1='prompt> '; ${process.execPath} ${BIN} run -- sh ${file}\n`);
    await shell.shows("ready");
    shell.write("\u001a");
    await shell.shows("Stopped");
    shell.write("echo in the $((1+1))nd shell\n");
    await shell.shows("in the 2nd shell");
    shell.write("fg\n");
    await shell.shows("awake");
    const stopped = await rouse(home, ["stop", "sh", "--grace", "2"]);
    expect(stopped).toMatchObject({ status: 0, stdout: expect.stringContaining("none left") });
    shell.write("exit\n");
    await shell.exited;
  });
});

/** As vim, less and Codex do: restore the terminal, stop the group by SIGTSTP, and continue. */
const STOPS_ITSELF = `
stty raw -echo
printf '\\033[?1049hready'
while :; do
  key=$(head -c 1)
  [ "$key" = q ] && break
  stty sane
  printf '\\033[?1049l'
  kill -TSTP 0
  stty raw -echo
  printf '\\033[?1049hawake %s' "$(stty size)"
done
stty sane
exit 5
`;

describe.skipIf(!existsSync("/usr/bin/perl"))("a program that stops itself under rouse run", () => {
  const agent = (): FoundSession | null => findSession(rousePaths(home.env), "sh");
  const start = async (): Promise<TestTerminal> => {
    const shell = new TestTerminal(home, ["bash", "--norc", "--noprofile", "-i"]);
    const file = join(home.path, "agent.sh");
    writeFileSync(file, STOPS_ITSELF);
    shell.write(`PS1='prompt> '; stty -g >before; ${process.execPath} ${BIN} run -- sh ${file}\n`);
    await shell.shows("ready");
    return shell;
  };
  const end = async (shell: TestTerminal): Promise<void> => {
    shell.write("q");
    await until("the end", () => agent()?.isAlive === false);
    shell.write('echo "code $?"; stty -g >after; exit\n');
    await shell.exited;
    expect(shell.text).toContain("code 5");
    expect(readFileSync(join(home.path, "after"), "utf8")).toBe(readFileSync(join(home.path, "before"), "utf8"));
  };

  it("returns the terminal to the shell on Ctrl-Z, and continues with fg, in its modes and the new size", async () => {
    const shell = await start();
    for (const [round, size] of [
      [1, { cols: 90, rows: 25 }],
      [2, { cols: 133, rows: 44 }],
    ] as const) {
      shell.write("\u001a");
      await until("the stop", () => shell.text.split("Stopped").length > round);
      expect(shell.text.lastIndexOf("\u001b[?1049l")).toBeGreaterThan(shell.text.lastIndexOf("\u001b[?1049h"));
      shell.write(`echo shell $((${round}+40))\n`);
      await shell.shows(`shell ${round + 40}`);
      shell.pty.resize(size.cols, size.rows);
      shell.write("fg\n");
      await shell.shows(`\u001b[?1049hawake ${size.rows} ${size.cols}`);
    }
    await end(shell);
  });

  it("returns the terminal to the shell at the next key if it stopped without Ctrl-Z", async () => {
    const shell = await start();
    shell.write("n");
    await until("the stop", () => / T /.test(readFileSync(`/proc/${agent()?.pid ?? "self"}/stat`, "latin1")));
    shell.write("x");
    await shell.shows("Stopped");
    shell.write("fg\n");
    await shell.shows("awake 30 100");
    await end(shell);
  });
});

describe("rouse run without a terminal", () => {
  it("passes input and output through, byte for byte", async () => {
    const { stdout, status } = await rouse(home, ["run", "--", "cat"], "one\ntwo\u001b[31m\n");
    expect([stdout, status]).toEqual(["one\ntwo\u001b[31m\n", 0]);
  });

  it("keeps standard output and standard error separate, and the exit code", async () => {
    const ran = await rouse(home, ["run", "--", "sh", "-c", "echo out; echo err >&2; exit 9"]);
    expect(ran).toEqual({ status: 9, signal: null, stdout: "out\n", stderr: "err\n" });
  });

  it("exits by the signal that ended the program", async () => {
    expect(await rouse(home, ["run", "--", "sh", "-c", "kill -TERM $$"])).toMatchObject({
      status: null,
      signal: "SIGTERM",
    });
  });

  it("reads an event stream, and reports it to the daemon before it exits", async () => {
    const daemon = new FakeDaemon();
    const { daemonSocket } = rousePaths(home.env);
    await daemon.listen(daemonSocket);
    const events = [
      { type: "system", subtype: "init", session_id: "5b1f7c1e-0000-4000-8000-000000000000", model: "m", cwd: "/tmp" },
      { type: "assistant", message: { role: "assistant", content: [{ type: "text", text: "All done." }] } },
      { type: "result", subtype: "success", is_error: false, result: "All done." },
    ];
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    const ran = await rouse(home, ["run", "--kind", "claude-code", "--", "cat"], text);
    expect([ran.stdout, ran.status]).toEqual([text, 0]);
    const sources = new Set([...daemon.signals.values()].map((signal) => signal.source));
    expect(sources).toEqual(new Set(["stream", "process"]));
    expect(daemon.kinds.at(-1)).toBe("exit");
    expect(daemon.sessions.at(-1)).toMatchObject({ kind: "claude-code", origin: "run", endedAt: expect.any(Number) });
    await daemon.close();
    rmSync(daemonSocket, { force: true });
  });

  it("runs the agent even if nothing can be stored", async () => {
    writeFileSync(join(home.path, "state"), "a file where the folder belongs");
    const ran = await rouse(home, ["run", "--", "sh", "-c", "echo runs; exit 3"]);
    expect([ran.stdout, ran.status]).toEqual(["runs\n", 3]);
  });
});

describe.skipIf(!hasTmux)("rouse run in tmux", () => {
  it("looks as without rouse, takes keys, and restores the pane", async () => {
    const socket = join(home.path, "tmux.sock");
    const tmux = (...args: string[]): string =>
      execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env: home.env, encoding: "utf8" });
    try {
      tmux("new-session", "-d", "-x", "90", "-y", "20", "-c", home.path, "bash --norc --noprofile -i");
      const screen = (): string => tmux("capture-pane", "-p");
      tmux(
        "send-keys",
        `PS1='$ '; clear; ${process.execPath} ${BIN} run -- sh -c 'stty size; read line; echo "got <$line>"; exit 6'; echo "code $?"`,
        "Enter",
      );
      await until("the size", () => screen().includes("20 90"));
      tmux("send-keys", "-l", "--", "hello there");
      tmux("send-keys", "Enter");
      await until(
        "the answer and the code",
        () => screen().includes("got <hello there>") && screen().includes("code 6"),
      );
      tmux("send-keys", "exit", "Enter");
    } finally {
      try {
        tmux("kill-server");
      } catch {
        // The server ended with its last session.
      }
    }
  });
});
