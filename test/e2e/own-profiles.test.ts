/** An unknown program, watched by the real daemon with and without a user's own profile. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { reaches, statusOf, typeInto } from "../support/fake-agent.js";
import { closeHome, type Home, hasTmux, makeHome, rouse, rouseInTerminal } from "../support/hosts.js";

const ROOT = join(import.meta.dirname, "..", "..");
const SKETCH = join(ROOT, "test", "fake-agent", "sketch.mjs");
const TIMEOUT_MS = 300_000;

/** The profile from the user documentation, with this program's own question and limit. */
const PAGE = readFileSync(join(ROOT, "docs", "add-a-program.md"), "utf8");
const SHOWN = /```toml\n(id = "sketch"\n.*?)```/s.exec(PAGE)?.[1] ?? "";
const PROFILE = `${SHOWN.replace("\\[y/N\\]\\s*$", "The pen rests above \\S+$")}
[[rules]]
fact = "limit"
region = "last"
when = '^(?P<text>Out of ink.*)$'
`;

let home: Home;
let profiles: string;
let sketch: string[];

beforeAll(async () => {
  home = makeHome("on");
  home.env.TMUX_TMPDIR = home.path;
  profiles = join(rousePaths(home.env).config, "profiles");
  mkdirSync(profiles, { recursive: true });
  // A program is named after the command that starts it.
  const program = join(home.path, "sketch");
  symlinkSync(process.execPath, program);
  sketch = [program, SKETCH];
  // Before any profile exists: agents that start later are judged by the profiles present then.
  await rouse(home, ["up"]);
});

afterAll(async () => {
  // A running host would start the daemon again.
  for (const { name } of listSessions(rousePaths(home.env)).filter(({ isAlive }) => isAlive))
    await rouse(home, ["stop", name, "--grace", "0"]);
  await rouse(home, ["down"]);
  expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
});

const put = (name: string, text: string): void => writeFileSync(join(profiles, name), text);
const enter = (name: string): Promise<void> => typeInto(home, name, "");

describe("a profile in the user's folder", () => {
  it("detects the dialog and the limit of its program, under a daemon that was already running", {
    timeout: TIMEOUT_MS,
  }, async () => {
    put("sketch.toml", PROFILE);
    expect(await rouse(home, ["spawn", "--name", "known", "--", ...sketch])).toMatchObject({ status: 0, stderr: "" });
    expect(await rouse(home, ["spawn", "--name", "unknown", "--kind", "generic", "--", ...sketch])).toMatchObject({
      status: 0,
    });
    expect(await reaches(home, "known", "idle")).toMatchObject({ kind: "sketch" });
    await Promise.all([enter("known"), enter("unknown")]);
    await reaches(home, "known", "needs_input/confirmation");
    // Its work took three seconds, which a client may miss; the daemon did not.
    const { timeline } = JSON.parse((await rouse(home, ["why", "known", "--json"])).stdout);
    expect(timeline.map(({ state }: { state: string }) => state)).toContain("working");
    expect((await statusOf(home, "unknown"))?.state).not.toBe("needs_input");
    await Promise.all([enter("known"), enter("unknown")]);
    const limited = await reaches(home, "known", "rate_limited/limit");
    expect(limited.reasons.join(" ")).toContain("Out of ink");
    expect((await statusOf(home, "unknown"))?.state).not.toBe("rate_limited");
  });

  it("can be named as the kind of a program with another name", { timeout: TIMEOUT_MS }, async () => {
    put("sketch.toml", PROFILE);
    const command = ["--name", "called", "--kind", "sketch", "--", process.execPath, SKETCH];
    expect(await rouse(home, ["spawn", ...command])).toMatchObject({ status: 0, stderr: "" });
    expect(await reaches(home, "called", "idle")).toMatchObject({ kind: "sketch" });
    const { status, stderr } = await rouse(home, ["spawn", "--kind", "sketchy", "--", ...sketch]);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining("did you mean sketch?") });
  });

  it.skipIf(!hasTmux)(
    "finds its program in a tmux pane, and detects its dialog there",
    { timeout: TIMEOUT_MS },
    async () => {
      put("sketch.toml", PROFILE);
      const tmux = (...args: string[]) =>
        execFileSync("tmux", ["-f", "/dev/null", "-L", "own", ...args], { env: home.env });
      tmux("new-session", "-d", "-s", "paper", "-x", "100", "-y", "30", ...sketch);
      try {
        await rouse(home, ["watch", "paper"]);
        expect(await reaches(home, "paper", "idle")).toMatchObject({ kind: "sketch", origin: "tmux" });
        tmux("send-keys", "-t", "paper", "Enter");
        await reaches(home, "paper", "needs_input/confirmation");
      } finally {
        tmux("kill-server");
      }
    },
  );

  it("with an error is reported with file and position, and only that profile is ignored", {
    timeout: TIMEOUT_MS,
  }, async () => {
    put("sketch.toml", PROFILE);
    put("wrong.toml", 'id = "codex"\nnoise = [\n');
    const says = /^rouse: error: \S+\/profiles\/wrong\.toml:\d+:\d+: .*; the file is not used$/;
    const complaints = (stderr: string): string[] => stderr.trim().split("\n");
    const started = await rouse(home, ["spawn", "--name", "still", "--policy", "default", "--", ...sketch]);
    expect(started).toMatchObject({ status: 0, stdout: "still\n" });
    expect(complaints(started.stderr)).toEqual([expect.stringMatching(says)]);
    expect(await reaches(home, "still", "idle")).toMatchObject({ kind: "sketch" });
    const shown = await rouse(home, ["config", "show"]);
    expect({ status: shown.status, reported: complaints(shown.stderr) }).toEqual({
      status: 1,
      reported: [expect.stringMatching(says)],
    });
    const doctor = await rouse(home, ["doctor"]);
    expect(doctor.stdout).toMatch(/^ok +profile +sketch, for sketch: .*sketch\.toml$/m);
    expect(doctor.stdout).toMatch(/^FAIL +profile +\S+wrong\.toml:\d+:\d+: /m);
    const run = rouseInTerminal(home, ["run", "--name", "here", "--", ...sketch]);
    await run.shows("sketch] ");
    expect(run.text).toMatch(/rouse: error: \S+wrong\.toml/);
    await reaches(home, "here", "idle");
    await rouse(home, ["stop", "here", "--grace", "0"]);
    await run.exited;
    rmSync(join(profiles, "wrong.toml"));
  });
});
