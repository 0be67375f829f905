import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadChannels } from "./channels.js";
import { loadConfig } from "./load.js";

let home: string;
const env = (): Record<string, string> => ({ ROUSE_HOME: home, SLACK: "https://hooks.slack.com/services/T/B/secret" });
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-channels-"));
  mkdirSync(join(home, "config"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (text: string): void => writeFileSync(join(home, "config", "config.toml"), `version = 1\n${text}`);

describe("the channels of the configuration", () => {
  it("take secrets from a variable or a file", () => {
    writeFileSync(join(home, "token"), "tk_abc\n", { mode: 0o600 });
    write(`[channels.ops]
type = "slack"
url_env = "SLACK"
[channels.phone]
type = "ntfy"
topic = "t"
token_file = "${home}/token"
severity = "critical"
[watchdog]
poll_interval_secs = 10`);
    const { channels, issues } = loadChannels(env());
    expect(issues).toEqual([]);
    expect(channels).toMatchObject([
      { name: "ops", type: "slack", url: env().SLACK, severity: "warning", quiet: true },
      { name: "phone", type: "ntfy", url: "https://ntfy.sh", token: "tk_abc", severity: "critical" },
    ]);
    expect(loadConfig({ env: env(), cwd: home }).issues).toEqual([]);
  });

  it.each([
    ["no type", 'url = "https://x.example"', "type must be one of slack, discord"],
    ["another type", 'type = "pager"', "type must be one of"],
    ["a variable that is not set", 'type = "slack"\nurl_env = "NOWHERE"', 'the variable "NOWHERE" is not set'],
    ["a file that does not exist", 'type = "slack"\nurl_file = "/nowhere"', "no such file"],
    [
      "two ways at once",
      'type = "slack"\nurl = "https://x.example"\nurl_env = "SLACK"',
      "give one of url, url_env and url_file",
    ],
    ["no address", 'type = "slack"', "url is missing; give url, url_env (a variable) or url_file (a file)"],
    ["no topic", 'type = "ntfy"', "topic is missing"],
    ["no token", 'type = "gotify"\nurl = "https://x.example"', "token is missing; give token, token_env"],
    [
      "a token that no header can hold",
      'type = "gotify"\nurl = "https://x.example"\ntoken = "s3cret\\nX: y"',
      "token: must be an application token: letters, digits, ., - and _",
    ],
    ["http", 'type = "slack"\nurl = "http://x.example/s3cret"', "url must begin with https://"],
    ["no URL", 'type = "webhook"\nurl = "s3cret"', "url must begin with https://"],
    ["an unknown setting", 'type = "desktop"\nurll = "s3cret"', "unknown setting urll"],
    ["a shell string", 'type = "command"\ncommand = "rm -rf /"', "command: "],
    ["an unknown severity", 'type = "desktop"\nseverity = "huge"', "severity: "],
    ["a severity without effect", 'type = "desktop"\nseverity = "info"', '"warning"|"critical"'],
  ])("with %s are ignored with a reason that hides the secret; the others are used", (_, settings, description) => {
    write(`[channels.bad]\n${settings}\n[channels.good]\ntype = "desktop"`);
    const { channels, issues } = loadChannels(env());
    expect(channels.map(({ name }) => name)).toEqual(["good"]);
    expect(issues).toMatchObject([{ level: "error", text: expect.stringContaining(`channels.bad: ${""}`) }]);
    expect(issues[0]?.text).toContain(description);
    expect(JSON.stringify(issues)).not.toContain("s3cret");
  });

  it("are shown as they are in effect, with their position and without secrets", () => {
    write(`[channels.ops]
type = "slack"
url_env = "SLACK"
[channels.phone]
type = "ntfy"
topic = "s3cret"
token = "s3cret"
[channels.own]
type = "command"
command = ["post", "Bearer sk-ant-abcdefghijklmnopqrstuvwxyz0123456789"]`);
    const { shown } = loadChannels(env());
    expect(shown).toMatchObject({
      ops: { settings: { type: "slack", url_env: "SLACK", severity: "warning" }, position: { line: 2 } },
      phone: { settings: { url: "https://ntfy.sh", topic: "(not shown)", token: "(not shown)" } },
      own: { settings: { command: ["post", expect.stringContaining("***")] } },
    });
    expect(JSON.stringify(shown)).not.toMatch(/s3cret|hooks\.slack|sk-ant-abc/);
  });

  it("are reported with the position of the error; a variable that only the daemon needs is a notice", () => {
    write('[channels.a]\ntype = "slack"\nurl_env = "NOWHERE"\n[channels.b]\nquiet = 3\ntype = "desktop"');
    const reported = (reader: "daemon" | "person") =>
      loadChannels(env(), reader).issues.map(({ level, position, text }) => [level, position?.line, text]);
    expect(reported("daemon")).toMatchObject([
      ["error", 4, expect.stringContaining("is not set in the daemon's environment; it is not used")],
      ["error", 6, expect.stringContaining("channels.b: quiet: ")],
    ]);
    expect(reported("person")[0]).toEqual([
      "notice",
      4,
      'channels.a: url_env: the variable "NOWHERE" is not set here; the daemon needs it',
    ]);
  });

  it("cannot be defined by a project file", () => {
    const project = join(home, "project");
    mkdirSync(project);
    writeFileSync(join(project, ".rouse.toml"), '[channels.evil]\ntype = "command"\ncommand = ["evil"]\n');
    expect(loadConfig({ env: env(), cwd: project }).issues).toMatchObject([
      { level: "refused", text: expect.stringContaining("may not define channels") },
      { level: "refused" },
    ]);
    expect(loadChannels(env()).channels).toEqual([]);
  });
});
