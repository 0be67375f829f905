/**
 * Builds the observer and the keyboard of a host. The agent already runs while this loads the modules for programs and
 * screens, which takes about 100 ms: its output waits in the ring for the first check.
 */
import { basename } from "node:path";
import { issueText } from "../config/issue.js";
import { ownProfiles } from "../config/profiles-on-demand.js";
import { readScreenSettings } from "../config/screen-settings.js";
import type { Signal } from "../core/signal.js";
import type { HostHand } from "./hand.js";
import type { HeldProgram, HostOptions } from "./host-options.js";
import type { Observer } from "./observer.js";
import type { Ring } from "./ring.js";

interface Watching {
  /** Id of the program's profile. */
  kind: string;
  observer: Observer;
  /** Null for a program on pipes, where no keys can be pressed. */
  hand: HostHand | null;
}

interface WatchingOptions {
  options: HostOptions;
  program: HeldProgram;
  /** The start of its process, as the system reports it. */
  start: string | null;
  ring: Ring;
  size: () => { cols: number; rows: number };
  /** When a user last typed. */
  typedAt: () => number | null;
  give: (signal: Signal) => void;
  /** Called with the keys that rouse typed. */
  shown: (bytes: Buffer) => void;
  say: (what: string, error: unknown) => void;
}

export async function startWatching(inputs: WatchingOptions): Promise<Watching> {
  const { options, program, start, ring, size, typedAt, give, shown, say } = inputs;
  const { spec, paths, log } = options;
  const [{ profileFor }, { Observer }, { HostHand }] = await Promise.all([
    import("../programs/registry.js"),
    import("./observer.js"),
    import("./hand.js"),
  ]);
  const { profiles, issues } = await ownProfiles(paths.config);
  for (const issue of issues) log(issueText(issue));
  const profile = profileFor(spec.kind ?? basename(spec.command[0] ?? ""), profiles);
  const observer = new Observer({
    profile,
    ...(await readScreenSettings(paths.config)),
    ...size(),
    ring,
    now: Date.now,
    signal: give,
    failed: (error) => say("observation stopped; the agent keeps running", error),
  });
  const { terminal, pid } = program;
  const pressed = (bytes: Buffer, signal: Signal): void => {
    shown(bytes);
    give(signal);
  };
  const hand = terminal && new HostHand({ terminal, observer, profile, pid, start, typedAt, pressed });
  return { kind: profile.id, observer, hand };
}
