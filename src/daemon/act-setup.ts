/** What acting needs of the daemon: policies, permission, a healthy observer, and the hands. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { accountByHand } from "../config/accounts.js";
import type { Config } from "../config/keys.js";
import type { RousePaths } from "../config/paths.js";
import { PolicyFiles, policyFor } from "../config/policies.js";
import { problemText } from "../config/problem.js";
import type { ActionName } from "../core/action.js";
import type { AgentSession } from "../core/agent.js";
import type { IncidentChange } from "../core/incident/course.js";
import type { Incidents } from "../core/incident/incident.js";
import type { Policy } from "../core/policy/policy.js";
import { Environments } from "../effects/environments.js";
import { canDo, carryOut, type EffectWorld } from "../effects/index.js";
import type { Journal } from "../store/journal.js";
import { Acting } from "./acting.js";
import type { Moment } from "./clock.js";
import type { Loop } from "./loop.js";
import { Permission } from "./permission.js";
import { setUpTelling, type TellPlace, type TellSetup } from "./tell-setup.js";
import type { Tuning } from "./tuning.js";
import type { Watched } from "./watched.js";
import type { World } from "./world.js";

/** Beside an agent that was not started with one, and that no policy names. */
const USUAL = "default";
/** A loop that is later than this does not keep up. */
const LAG_MS = 5000;

export interface ActSetup {
  acting: Acting;
  permission: Permission;
  policyOf: (session: AgentSession) => Policy;
  /** What effects see, for those who touch agents by somebody's order. */
  outside: EffectWorld;
  /** Those who are told what changed in the book. */
  heard: Set<(changes: readonly IncidentChange[], book: Incidents) => void>;
  /** Channels, and what takes alerts to them. */
  told: TellSetup;
  notes: string[];
}

export interface ActingPlace {
  paths: RousePaths;
  config: Config;
  isOnlyWorkers: TellPlace["isOnlyWorkers"];
  /** When somebody last looked before this life; null where nobody knows. */
  looked: Moment | null;
  /** What the process beside a spawned agent runs. */
  hostScript: string;
  profileOf: EffectWorld["profileOf"];
  tuning: Tuning;
  log: (line: string) => void;
}

/** To be called when the journal is folded: what was decided before is in the book. */
export function setUpActing(
  loop: Loop,
  journal: Journal,
  world: Pick<World, "transcriptOf" | "accountOf">,
  { paths, config, isOnlyWorkers, looked, hostScript, profileOf, tuning, log }: ActingPlace,
): ActSetup {
  const files = new PolicyFiles();
  const { problems } = files.under(config.health);
  const permission = new Permission(join(paths.state, "allow.json"));
  const policyOf = (session: AgentSession): Policy => {
    const { policies } = files.under(tuning.configOf(session).health);
    return policyFor(policies, session, USUAL);
  };
  const can = (session: AgentSession): readonly ActionName[] => canDo(session, profileOf);
  const told = setUpTelling(loop, journal, { config, configOf: tuning.configOf, isOnlyWorkers, policyOf, can });
  const outside: EffectWorld = { ...outsideOf(loop, world, paths, hostScript), profileOf };
  const heard: ActSetup["heard"] = new Set();
  const acting = new Acting({
    store: told.telling.over(journal.book),
    hands: {
      can,
      carryOut: (action, session) => carryOut(action, session, outside),
    },
    policyOf,
    isAllowed: (session, trouble) => permission.isAllowed(session, trouble, loop.now()),
    accountOf: (session) => accountByHand(config.accounts, session) ?? world.accountOf(session.session),
    isWell: () => journal.isWriting && loop.tickedAt !== null && loop.now() - loop.tickedAt < LAG_MS,
    now: () => loop.now(),
    onChange: (changes, book) => {
      for (const tell of heard) tell(changes, book);
    },
    log,
    onRename: (from, to) => {
      permission.rename(from, to);
      tuning.learn(acting.book.feedback);
    },
    onDone: (session) => loop.look(session),
  });
  loop.follower = told.telling.follow(acting);
  if (looked) acting.wake(loop.unwatched(looked));
  acting.keepOnly(new Set(loop.sessions().map(({ session }) => session.name)));
  const notes = [...problems.map(problemText), ...told.notes];
  if (permission.problem !== null) notes.push(permission.problem);
  return { acting, permission, policyOf, outside, heard, told, notes };
}

const isThere = ({ session, evidence }: Watched): boolean => session.endedAt === null && evidence.exit === null;

function outsideOf(
  loop: Loop,
  world: Pick<World, "transcriptOf">,
  paths: RousePaths,
  hostScript: string,
): Omit<EffectWorld, "profileOf"> {
  // What an agent was started with is read while it lives, from the first word of it.
  const environments = new Environments(paths, process.env);
  loop.onRegister = (session) => environments.remember(session);
  for (const { session } of loop.sessions()) if (session.endedAt === null) environments.remember(session);
  return {
    paths,
    now: () => loop.now(),
    sleep: (ms) => sleep(ms),
    evidence: (session) => loop.find(session)?.evidence ?? null,
    assessment: (session) => loop.find(session)?.ask(loop.now()) ?? null,
    transcript: (session) => world.transcriptOf(session),
    others: (session) =>
      loop
        .sessions()
        .filter((other) => other.session.session !== session && isThere(other))
        .map((other) => ({
          ...other.session,
          conversation: other.evidence.session.id ?? null,
          transcript: world.transcriptOf(other.session.session),
        })),
    starting: { environments, hostScript },
  };
}
