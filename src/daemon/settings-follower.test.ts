import { expect, it } from "vitest";
import { sessionOf } from "../../test/support/sessions.js";
import { type JudgingOptions, SessionJudge } from "../core/session-judge.js";
import type { StepInput } from "../core/step-input.js";
import { SettingsFollower } from "./settings-follower.js";

function rig(agents: number) {
  const settings = new Map<string, JudgingOptions>();
  const judges = Array.from({ length: agents }, (_, n) => {
    const session = sessionOf({ id: `id-${n}`, name: `agent-${n}` });
    return new SessionJudge(session, 0, { idle_timeout_minutes: 15 });
  });
  const taken: StepInput[] = [];
  const settingsFor = ({ name }: { name: string }) => settings.get(name) ?? { idle_timeout_minutes: 15 };
  const loop = { sessions: () => judges, take: (input: StepInput) => void taken.push(input) };
  return { settings, judges, taken, follower: new SettingsFollower(loop, { settingsFor }) };
}

it("an agent that is already watched is judged by changed settings, and the others are left alone", () => {
  const { settings, taken, follower } = rig(3);
  follower.tick();
  expect(taken).toEqual([]);
  settings.set("agent-1", { idle_timeout_minutes: 5 });
  follower.tick();
  expect(taken).toEqual([{ kind: "retune", agent: "agent-1" }]);
});

it("every one of many agents is checked within as many ticks as needed, and ended ones are not", () => {
  const { settings, judges, taken, follower } = rig(12);
  for (const { session } of judges) settings.set(session.name, { idle_timeout_minutes: 5 });
  const [ended] = judges;
  if (ended) ended.session = { ...ended.session, endedAt: 1 };
  for (let n = 0; n < 3; n++) follower.tick();
  expect(taken).toHaveLength(11);
});
