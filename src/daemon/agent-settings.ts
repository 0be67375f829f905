/**
 * Settings per agent, from the configuration of its working folder, since a project may be stricter. User feedback on alarms
 * and the traits of its program adjust them.
 */

import { agentOfTags, loadAgents } from "../config/agents.js";
import { type Config, settingsOf } from "../config/keys.js";
import { loadConfig } from "../config/load.js";
import { ownSettings } from "../config/own-settings.js";
import type { AgentSession } from "../core/agent.js";
import type { FeedbackCount } from "../core/incidents/incident.js";
import { adaptedSettings } from "../core/incidents/learn.js";
import type { JudgingOptions } from "../core/session-judge.js";
import { traitsOf } from "../programs/registry.js";
import type { AgentProfile } from "../programs/shared/profile.js";

/** Reading the files takes about 2 ms: a tenth of a core for 500 agents in separate folders every 10 s. */
const KEPT_MS = 60_000;
const FOLDERS_MAX = 1000;

interface SettingsOfFolder {
  config: Config;
  settings: JudgingOptions;
  /** Least confidence of configured agents that have their own. */
  confidence: ReadonlyMap<string, number>;
  readAt: number;
}

export class AgentSettings {
  readonly #otherwise: string;
  readonly #byFolder = new Map<string, SettingsOfFolder>();
  readonly #profileOf: (kind: string) => AgentProfile;
  readonly #now: () => number;
  #feedback: readonly FeedbackCount[];

  /** `otherwise`: the folder whose configuration applies to agents with an unknown working folder. */
  constructor(
    otherwise: string,
    feedback: readonly FeedbackCount[],
    profileOf: (kind: string) => AgentProfile,
    now: () => number = () => performance.now(),
  ) {
    this.#otherwise = otherwise;
    this.#now = now;
    this.#feedback = feedback;
    this.#profileOf = profileOf;
  }

  readonly settingsFor = ({ name, kind, workspace, tags }: AgentSession): JudgingOptions => {
    const { settings, confidence } = this.#in(workspace);
    const own = confidence.get(agentOfTags(tags) ?? "");
    const base = own === undefined ? settings : { ...settings, min_confidence_threshold: own };
    const traits = traitsOf(this.#profileOf(kind));
    return { ...base, ...adaptedSettings(base, this.#feedback, name), traits };
  };

  /** The configuration of its working folder as written, for everything except judging. */
  readonly configOf = ({ workspace }: Pick<AgentSession, "workspace">): Config => this.#in(workspace).config;

  learn(feedback: readonly FeedbackCount[]): void {
    this.#feedback = feedback;
  }

  #in(workspace: string | null): SettingsOfFolder {
    const folder = workspace ?? this.#otherwise;
    const now = this.#now();
    const known = this.#byFolder.get(folder);
    if (known && now - known.readAt < KEPT_MS) return known;
    const { config, issues } = loadConfig({ cwd: folder });
    // With a syntax error in the file the earlier settings stay: a default may permit what the file forbade.
    if (known && issues.some(({ level }) => level === "error")) return Object.assign(known, { readAt: now });
    const { noise_patterns } = config.activity;
    const settings: JudgingOptions = {
      ...settingsOf(config),
      own: ownSettings(),
      noise_patterns,
      completion_marker: config.health.completion_marker,
      isJudging: config.health.enabled,
      isGuarded: config.resume.validate_activity,
    };
    if (this.#byFolder.size >= FOLDERS_MAX) this.#byFolder.clear();
    const confidence = new Map<string, number>();
    for (const { name, minConfidence } of loadAgents(this.#otherwise).agents.values())
      if (minConfidence !== null) confidence.set(name, minConfidence);
    const read = { config, settings, confidence, readAt: now };
    this.#byFolder.set(folder, read);
    return read;
  }
}
