/**
 * What each command prints in its main situations. `npm run golden` writes the files beside this one again. Situations of one
 * group run in this order against one daemon, each four times: 80 and 120 columns, with and without colour.
 */

export interface Situation {
  /** Folder of the golden files. */
  command: string;
  /** Name of the golden files. */
  name: string;
  args: readonly string[];
  /** Data, code or a file that is printed as it is: its lines are not wrapped. */
  asIs?: true;
  config?: string;
  /** Settings that are reported once per process: the command starts with fresh modules. */
  fresh?: true;
}

const of =
  (command: string) =>
  (
    name: string,
    args: string,
    more: Omit<Partial<Situation>, "args"> & { args?: readonly string[] } = {},
  ): Situation => ({
    command,
    name,
    args: more.args ?? args.split(" ").filter((word) => word !== ""),
    ...more,
  });

/** No daemon is running. */
export const WITHOUT_DAEMON: readonly Situation[] = [
  of("status")("daemon-down", "status"),
  of("status")("line-daemon-down", "status --line"),
  of("health")("daemon-down", "health"),
  of("why")("daemon-down", "why api"),
  of("report")("daemon-down", "report working"),
  of("report")("without-state", "report"),
  of("report")("wrong-state", "report sleeping"),
  of("stop")("no-agents", "stop api"),
  of("logs")("no-agents", "logs api"),
  of("type")("no-agents", "type api hello"),
  of("attach")("no-agents", "attach api"),
  of("run")("program-not-found", "run -- no-such-program"),
  of("run")("without-command", "run"),
  of("run")("wrong-kind", "run --kind clyde -- true"),
  of("run")("wrong-name", "run --name -x -- true", { args: ["run", "--name", "a b", "--", "true"] }),
  of("spawn")("program-not-found", "spawn -- no-such-program"),
  of("spawn")("wrong-policy", "spawn --policy careful -- true"),
  of("rouse")("unknown-command", "statsu"),
  of("rouse")("other-tools-command", "ps"),
  of("rouse")("no-such-command", "frobnicate"),
  of("rouse")("unknown-option", "status --jsno"),
  of("rouse")("missing-argument", "why"),
  of("rouse")("too-many-arguments", "why api web"),
  of("rouse")("version", "--version"),
  of("init")("dry-run", "init --dry-run", { asIs: true }),
  of("init")("claude-code-dry-run", "init claude-code --no-plugin --dry-run", { asIs: true }),
  of("init")("unknown-program", "init emacs"),
  of("init")("options-that-clash", "init --otel --service"),
  of("config")("show", "config show", { asIs: true }),
  of("config")("show-origin", "config show --origin", { asIs: true }),
  of("config")("wrong-value", "config show --set watchdog.poll_interval_secs=soon", { fresh: true, asIs: true }),
  of("config")("unknown-key", "config show --set watchdog.poll_interval=10"),
  of("config")("migrate-nothing", "config migrate"),
  of("config")("errors-in-file", "config show", {
    asIs: true,
    fresh: true,
    config: 'version = 1\n[watchdog]\npoll_interval_secs = "soon"\n[watchdgo]\nx = 1\n',
  }),
  of("config")("not-toml", "config migrate", { fresh: true, config: "version = \n" }),
  of("policy")("list", "policy show"),
  of("policy")("show-default", "policy show default"),
  of("policy")("unknown", "policy show careful"),
  of("policy")("test-silent-stream", "policy test --problem silent_stream"),
  of("token")("list-empty", "token list"),
  of("token")("revoke-unknown", "token revoke ci"),
  of("alert")("daemon-down", "alert list"),
  of("messages")("daemon-down", "messages"),
  of("doctor")("daemon-down", "doctor"),
  of("down")("no-daemon", "down"),
  of("replay")("permission", "replay test/fixtures/cases/claude/permission"),
  of("replay")("with-policy", "replay test/fixtures/cases/claude/overloaded-529 --policy default"),
  of("replay")("explain", "replay test/fixtures/cases/claude/permission --explain 20"),
  of("replay")("nothing-given", "replay"),
  of("replay")("not-a-recording", "replay README.md"),
  of("replay")("missing", "replay no-such-folder"),
  of("eval")("two-cases", "eval test/fixtures/cases/cline"),
  of("eval")("worst", "eval test/fixtures/cases/cline --worst"),
  of("eval")("nothing-scored", "eval docs"),
  of("record")("no-agents", "record api"),
  of("completions")("without-shell", "completions"),
];

/** A new daemon without agents. */
export const WITHOUT_AGENTS: readonly Situation[] = [
  of("status")("no-agents", "status"),
  of("status")("line-no-agents", "status --line"),
  of("health")("no-agents", "health"),
  of("incidents")("none", "incidents"),
  of("allow")("nothing-allowed", "allow"),
  of("silence")("none", "silence"),
  of("messages")("none", "messages"),
  of("alert")("none", "alert list"),
  of("alert")("no-channels", "alert channels"),
  of("check")("no-agents", "check"),
  of("summary")("nothing", "summary"),
  of("metrics")("none", "metrics"),
  of("metrics")("none-json", "metrics --json", { asIs: true }),
  of("up")("already-up", "up"),
  of("doctor")("no-agents", "doctor"),
];

/** The daemon has watched one agent in each main situation. */
export const WITH_AGENTS: readonly Situation[] = [
  of("status")("agents", "status"),
  of("status")("line", "status --line", { asIs: true }),
  of("status")("line-quiet", "status --line --quiet"),
  of("health")("agents", "health"),
  of("health")("unhealthy-agent", "health tests"),
  of("why")("working", "why web"),
  of("why")("permission", "why api"),
  of("why")("recovered", "why parser"),
  of("why")("stalled", "why tests"),
  of("why")("limit", "why docs"),
  of("why")("finished", "why lint"),
  of("why")("failed", "why migrate"),
  of("why")("lost", "why build"),
  of("why")("unknown-agent", "why wbe"),
  of("doctor")("agents", "doctor"),
  of("logs")("ended", "logs build"),
  of("logs")("only-watched", "logs docs"),
  of("logs")("unknown-agent", "logs wbe"),
  of("stop")("ended", "stop build"),
  of("stop")("only-watched", "stop docs"),
  of("type")("ended", "type build hello"),
  of("check")("agents", "check"),
  of("check")("one-agent", "check parser"),
  of("summary")("night", "summary"),
  of("incidents")("open", "incidents"),
  of("incidents")("all", "incidents --all"),
  of("incidents")("of-one-agent", "incidents parser --all"),
  of("incidents")("none-of-one-agent", "incidents web --all"),
  of("incidents")("stalled", "incidents tests"),
  of("incidents")("permission", "incidents api"),
  of("incidents")("limit", "incidents docs"),
  of("incidents")("lost", "incidents build"),
  of("incidents")("unknown", "incidents zzzzzz"),
  of("messages")("all", "messages --all"),
  of("alert")("channels", "alert channels"),
  of("alert")("sent", "alert list"),
  of("alert")("unknown-channel", "alert test pager"),
  of("recover")("dry-run", "recover tests --dry-run"),
  of("recover")("healthy", "recover web"),
  of("recover")("permission", "recover api"),
  of("recover")("unknown-agent", "recover wbe"),
  of("report")("unknown-agent", "report working --name wbe"),
  of("allow")("one-agent", "allow tests --for 8h"),
  of("allow")("shown", "allow"),
  of("allow")("except", "allow web --except rate_limited"),
  of("allow")("unknown-agent", "allow wbe"),
  of("allow")("future", "allow nightly --future"),
  of("allow")("off", "allow nightly --off"),
  of("allow")("all", "allow --all"),
  of("allow")("names-and-all", "allow web --all"),
  of("silence")("agent", "silence docs --for 2h"),
  of("silence")("problem", "silence rate_limited --for 90m"),
  of("silence")("listed", "silence"),
  of("silence")("without-duration", "silence docs"),
  of("silence")("off", "silence docs --off"),
  of("ack")("incident", "ack tests"),
  of("ack")("unknown", "ack wbe"),
  of("ack")("seen-in-incidents", "incidents tests"),
  of("feedback")("right", "feedback api right"),
  of("feedback")("false-alarm", "feedback tests false-alarm"),
  of("feedback")("wrong-word", "feedback tests maybe"),
  of("watch")("programs", "watch"),
  of("watch")("missing-session", "watch no-such-session"),
  of("watch")("none", "watch --none"),
  of("messages")("sent", "messages send --tag other hello"),
];
