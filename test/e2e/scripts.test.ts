/** Scripts and other programs without a profile, in real terminals under the real daemon. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rousePaths } from "../../src/config/paths.js";
import { listSessions } from "../../src/terminal/registry.js";
import { reaches, verdictOf, viewOf } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";

const TIMEOUT_MS = 600_000;
const homes: Home[] = [];

async function openHome(env: Record<string, string> = {}): Promise<Home> {
  const home = makeHome("on");
  Object.assign(home.env, env, { TMUX_TMPDIR: home.path, CLAUDE_CONFIG_DIR: join(home.path, ".claude") });
  const policies = join(rousePaths(home.env).config, "policies");
  mkdirSync(policies, { recursive: true });
  writeFileSync(join(policies, "quick.toml"), 'agents = ["*"]\nconfirm_seconds = 0\n');
  homes.push(home);
  await rouse(home, ["up"]);
  return home;
}

afterAll(async () => {
  for (const home of homes) {
    for (const { name, isAlive } of listSessions(rousePaths(home.env)))
      if (isAlive) await rouse(home, ["stop", name, "--grace", "0"]);
    await rouse(home, ["down"]);
    expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
  }
}, TIMEOUT_MS);

async function start(home: Home, name: string, script: string): Promise<void> {
  const { status, stderr } = await rouse(home, [
    "spawn",
    "--name",
    name,
    "--tag",
    "worker",
    "--",
    "bash",
    "-c",
    script,
  ]);
  expect(status, stderr).toBe(0);
}

interface Sent {
  msg_type: string;
  payload: { worker_name: string; error_context?: string; output_tail?: string[] };
}

async function sentAbout(home: Home, worker: string, type: string): Promise<Sent["payload"] | undefined> {
  const { stdout } = await rouse(home, ["messages", "--json"]);
  const { messages } = JSON.parse(stdout) as { messages: Sent[] };
  return messages.find(({ msg_type, payload }) => msg_type === type && payload.worker_name === worker)?.payload;
}

describe("a script", { timeout: TIMEOUT_MS }, () => {
  let home: Home;
  beforeAll(async () => {
    home = await openHome();
  }, TIMEOUT_MS);

  it.each([
    ["a login question", "printf 'Would you like to log in? [(y)es, (n)o]: '; read x", "needs_input/login"],
    ["a plain question", "echo '> demo'; printf 'Delete all? (yes/no) '; read x", "needs_input/confirmation"],
    ["a password prompt", "printf 'Password: '; read x", "needs_input/login"],
    ["a field with a default", "printf 'package name: (demo) '; read x", "needs_input/input"],
    ["a rate limit", "echo working; echo 'rate limit exceeded'; sleep 600", "rate_limited/limit"],
    ["an error and silence", "echo \"Error: Cannot find module 'foo'\"; read x < /dev/null; exec cat", "error"],
    ["one error for ever", "while :; do echo 'Error: pool exhausted'; sleep 3; done", "stuck/repeated_error"],
    ["the completion marker", "echo '<promise>COMPLETE</promise>'; exec cat", "complete"],
  ])("is judged by %s at the end of its output", async (name, script, verdict) => {
    const agent = name.replaceAll(" ", "-");
    await start(home, agent, script);
    expect(verdictOf(await reaches(home, agent, verdict))).toBe(verdict);
  });

  it("that prints numbers and errors in turn is at work", async () => {
    await start(
      home,
      "counts",
      "n=0; while :; do n=$((n+1)); echo \"file $n of 900\"; echo 'Error: bad file'; sleep 2; done",
    );
    await new Promise((resolve) => setTimeout(resolve, 30_000));
    const view = await viewOf(home, "counts");
    expect(["starting", "working"]).toContain(view && verdictOf(view));
  });

  it("that exits with an error reports the error itself", async () => {
    await start(home, "fails", "echo; echo '> pkg@1.0.0 fail'; echo; echo \"Error: Cannot find module 'foo'\"; exit 1");
    await reaches(home, "fails", "gone/exit_code");
    await until("the message", async () => (await sentAbout(home, "fails", "worker.error")) !== undefined, 60_000);
    const sent = await sentAbout(home, "fails", "worker.error");
    expect(sent?.error_context).toContain("Cannot find module 'foo'");
    expect(sent?.output_tail?.join("\n")).toContain("Cannot find module 'foo'");
  });

  it("that exits with a provider's refusal has that cause", async () => {
    await start(home, "refused", "echo 'Error: 401 Incorrect API key provided'; exit 1");
    expect(verdictOf(await reaches(home, "refused", "error/auth"))).toBe("error/auth");
  });
});

/** A stand-in for `claude -p`: writes the transcript of one call, prints its answer at the end, and exits. */
const CLAUDE = `
const { appendFileSync, mkdirSync, existsSync } = require("node:fs");
const folder = process.env.CLAUDE_CONFIG_DIR + "/projects/" + process.cwd().replace(/[^a-zA-Z0-9]/g, "-");
mkdirSync(folder, { recursive: true });
const id = "00000000-0000-4000-8000-00000000000" + process.argv.at(-1);
let n = 0;
const write = (record) => appendFileSync(folder + "/" + id + ".jsonl", JSON.stringify({
  uuid: id + n++, sessionId: id, cwd: process.cwd(), version: "2.1.200", timestamp: new Date().toISOString(), ...record }) + "\\n");
const says = (block, stop_reason) => write({ type: "assistant", message: { id: "m" + n, role: "assistant", content: [block], stop_reason } });
write({ type: "user", message: { role: "user", content: "build it" } });
says({ type: "tool_use", id: "t1", name: "Bash", input: { command: "make all" } }, "tool_use");
const timer = setInterval(() => {
  if (!existsSync("go")) return;
  clearInterval(timer);
  write({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] } });
  says({ type: "text", text: "All is built." }, "end_turn");
  console.log("All is built.");
}, 200);
`;

describe("a loop script that runs claude -p", { timeout: TIMEOUT_MS }, () => {
  it("is judged by the records of that agent while it runs, and is not complete at its end", async () => {
    const home = await openHome();
    writeFileSync(join(home.path, "claude"), `#!${process.execPath}\n${CLAUDE}`, { mode: 0o755 });
    await start(home, "loops", "echo 'iteration 1'; ./claude -p 1; echo 'iteration 2'; exec cat");
    await reaches(home, "loops", "waiting/tool");
    writeFileSync(join(home.path, "go"), "");
    const seen = new Set<string>();
    await until(
      "the next iteration",
      async () => {
        const view = await viewOf(home, "loops");
        if (view) seen.add(verdictOf(view));
        return seen.has("starting") || seen.has("idle");
      },
      60_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 8000));
    const view = await viewOf(home, "loops");
    if (view) seen.add(verdictOf(view));
    expect([...seen]).not.toContain("complete");
  });
});

describe("a silent script with the idle timeout of the user", { timeout: TIMEOUT_MS }, () => {
  let home: Home;
  const HANG = "echo; echo '> pkg@1.0.0 hang'; echo; echo 'Processing file 42 of 100...'; sleep 9999";
  beforeAll(async () => {
    home = await openHome({ ROUSE_HEALTH_IDLE_TIMEOUT_MINUTES: "0.4" });
  }, TIMEOUT_MS);

  it("is reported although a child sleeps, and not while a child computes", async () => {
    await start(home, "hangs", HANG);
    await start(home, "computes", "echo begins; (while :; do :; done) & wait");
    await reaches(home, "hangs", "stuck/silent_stream");
    const view = await viewOf(home, "computes");
    expect(["starting", "working", "idle"]).toContain(view?.state);
    await rouse(home, ["stop", "computes", "--grace", "0"]);
  });

  it("can be restarted by the user, and is ended by rouse if that is allowed", async () => {
    const { status, stdout } = await rouse(home, ["recover", "hangs", "--restart"]);
    expect(status, stdout).toBe(0);
    const isStuck = async (): Promise<boolean> => (await viewOf(home, "hangs"))?.cause === "silent_stream";
    await until("the restarted agent to be stuck", isStuck, 90_000);
    await rouse(home, ["allow", "--all"]);
    await until(
      "the end of the agent",
      () => !listSessions(rousePaths(home.env)).some(({ name, isAlive }) => name === "hangs" && isAlive),
      180_000,
    );
  });
});

describe("a silent script with a number of polls set by the user", { timeout: TIMEOUT_MS }, () => {
  it("is reported after these polls", async () => {
    const home = await openHome({
      ROUSE_WATCHDOG_POLL_INTERVAL_SECS: "5",
      ROUSE_WATCHDOG_STUCK_THRESHOLD_INTERVALS: "3",
    });
    const from = Date.now();
    await start(home, "polled", "echo 'Processing file 42 of 100...'; sleep 9999");
    await reaches(home, "polled", "stuck/silent_stream");
    expect(Date.now() - from).toBeGreaterThan(14_000);
    expect(Date.now() - from).toBeLessThan(60_000);
  });
});
