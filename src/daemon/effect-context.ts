/** The daemon as effects see it: current assessments, and the files of conversations. */
import { setTimeout as sleep } from "node:timers/promises";
import type { RousePaths } from "../config/paths.js";
import type { SessionJudge } from "../core/session-judge.js";
import type { EffectContext } from "../effects/index.js";
import type { Loop } from "./loop.js";

export interface EffectSources {
  transcriptOf: (session: string) => string | null;
}

export function effectContextOf(
  loop: () => Loop,
  { transcriptOf }: EffectSources,
  paths: RousePaths,
): Omit<EffectContext, "profileOf" | "starting"> {
  return {
    paths,
    now: () => loop().now(),
    sleep: (ms) => sleep(ms),
    evidence: (session) => loop().find(session)?.evidence ?? null,
    assessment: (session) => loop().find(session)?.peek(loop().now()) ?? null,
    typed: (session, signal) =>
      void loop()
        .ingest(session, null, [signal])
        .catch(() => {}),
    transcript: transcriptOf,
    others: (session) =>
      loop()
        .sessions()
        .filter((other) => other.session.id !== session && isAlive(other))
        .map((other) => ({
          ...other.session,
          conversation: other.evidence.session.id ?? null,
          transcript: transcriptOf(other.session.id),
        })),
  };
}

const isAlive = ({ session, evidence }: SessionJudge): boolean => session.endedAt === null && evidence.exit === null;
