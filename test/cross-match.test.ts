/**
 * Every pattern of every profile against the screens of all other states. A screen is labelled by the truth of its
 * recording; the table below says which facts, dialogs and titles each state excludes.
 */
import { describe, expect, it } from "vitest";
import { profileFor } from "../src/programs/registry.js";
import type { AgentProfile } from "../src/programs/shared/profile.js";
import { readResetTime } from "../src/readers/reset-time/reset-time.js";
import { compileProfile } from "../src/readers/terminal/compiled.js";
import { readFacts } from "../src/readers/terminal/facts.js";
import type { ScreenFacts } from "../src/readers/terminal/screen-check.js";
import { plainScreen } from "./support/plain-screen.js";
import { CORPUS, caseFolders, OWN_CASES, readMeta, type Screen, screensAt } from "./support/recordings.js";

type Fact = "busy" | "retry" | "error" | "limit" | "dialog" | "compacting" | "interrupted" | "ended" | "tool";

/** What a screen in this state never shows. A state that is missing here excludes nothing. */
const EXCLUDES: Readonly<Record<string, readonly Fact[]>> = {
  idle: ["tool", "busy", "retry", "error", "limit", "dialog", "compacting", "interrupted"],
  working: ["ended", "retry", "error", "limit", "dialog", "compacting", "interrupted"],
  tool_running: ["ended", "retry", "error", "limit", "dialog", "compacting", "interrupted"],
  hung: ["ended", "retry", "error", "limit", "dialog", "compacting", "interrupted"],
  looping: ["retry", "error", "limit", "compacting", "interrupted"],
  done: ["tool", "busy", "retry", "error", "limit", "dialog", "compacting", "interrupted"],
  waiting_permission: ["ended", "busy", "retry", "error", "limit", "compacting", "interrupted"],
  waiting_trust: ["ended", "busy", "retry", "error", "limit", "compacting", "interrupted"],
  waiting_input: ["tool", "busy", "retry", "error", "limit", "compacting", "interrupted"],
  usage_limited: ["tool", "error", "compacting", "interrupted"],
  auth_error: ["tool", "limit", "dialog", "compacting", "interrupted"],
  stopped_error: ["tool", "limit", "dialog", "compacting", "interrupted"],
  retrying: ["ended", "error", "limit", "dialog", "compacting", "interrupted"],
  rate_limited: ["error", "dialog", "compacting", "interrupted"],
  billing_error: ["tool", "limit", "dialog", "compacting", "interrupted"],
  context_full: ["tool", "limit", "dialog", "compacting", "interrupted"],
  unreachable: ["limit", "dialog", "compacting", "interrupted"],
};

/** A program that passes input on to a command is busy with it while the command asks. */
function excludedBy(state: string, agent: string): readonly Fact[] {
  const excluded = EXCLUDES[state] ?? [];
  const mayAskInTool = state === "waiting_input" && profileFor(agent).traits.takesToolInput;
  return mayAskInTool ? excluded.filter((fact) => fact !== "tool" && fact !== "busy") : excluded;
}

/** What the last row of a state may show of the previous one: a screen changes a moment after the truth does. */
const SETTLED_S = 3;

interface Labelled {
  where: string;
  agent: string;
  truth: string;
  screen: Screen;
}

async function labelledScreens(root: string): Promise<Labelled[]> {
  const all: Labelled[] = [];
  for (const folder of caseFolders(root)) {
    const { agent, mode, timeline, t_end: end } = readMeta(folder);
    if (mode === "headless") continue;
    const moments = timeline.flatMap(([from, truth], i) => {
      const to = timeline[i + 1]?.[0] ?? end;
      const [first, last] = [from + SETTLED_S, to - 0.6];
      return last <= first ? [] : [first, (first + last) / 2, last].map((t) => ({ t, truth }));
    });
    const screens = await screensAt(
      folder,
      moments.map(({ t }) => t),
    );
    moments.forEach(({ t, truth }, i) => {
      const where = `${folder.split("/").slice(-2).join("/")} at ${t.toFixed(1)} s`;
      all.push({ where, agent, truth, screen: screens[i] as Screen });
    });
  }
  return all;
}

/** Rules that need a running clock are tested without one: only the pattern is under test. */
const tried = new Map<string, AgentProfile>();
function unclocked(id: string): AgentProfile {
  const { id: name, ...profile } = profileFor(id);
  const made = tried.get(name) ?? {
    ...profile,
    id: name,
    rules: profile.rules.map((rule) => ({ ...rule, live: false })),
  };
  tried.set(name, made);
  return made;
}

const CHECK = { at: 0, until: (text: string) => readResetTime(text, 0, "UTC")?.until, ticking: () => false };

function stated(id: string, { lines }: Screen): ScreenFacts {
  return readFacts(compileProfile(unclocked(id)), plainScreen(lines), CHECK);
}

const says = (facts: ScreenFacts, fact: Fact): boolean =>
  fact === "busy" || fact === "ended" ? facts[fact] === true : facts[fact] !== undefined;

/** What a title never says in these states. */
const TITLE_EXCLUDES: Readonly<Record<string, readonly string[]>> = {
  idle: ["working", "blocked"],
  done: ["working", "blocked"],
  working: ["idle", "blocked"],
  // A command in the background may outlive its turn: then the title is right to say idle.
  tool_running: ["blocked"],
  hung: ["blocked"],
  retrying: ["blocked"],
  usage_limited: ["blocked"],
  auth_error: ["blocked"],
  stopped_error: ["blocked"],
};

/** The kind of dialog, if the truth names it. */
const PROMPTS: Readonly<Record<string, string>> = { waiting_permission: "permission", waiting_trust: "trust" };

const IDS = ["claude-code", "codex", "gemini", "opencode", "generic"];
const detail = (facts: ScreenFacts): string =>
  JSON.stringify([facts.dialog?.question, facts.error, facts.limit, facts.retry]).slice(0, 300);

const roots: [string, string][] = [["our own recordings", OWN_CASES]];
if (CORPUS) roots.push(["the corpus in ROUSE_CORPUS", `${CORPUS}/live`]);

describe.each(roots)("the patterns on %s", async (_, root) => {
  const screens = await labelledScreens(root);
  const states = Object.keys(EXCLUDES).filter((state) => screens.some(({ truth }) => truth === state));
  const of = (state: string): Labelled[] => screens.filter(({ truth }) => truth === state);
  const caseOf = (where: string): string => where.split(" at ")[0] as string;
  const titlesOf = (where: string): Set<string | null> =>
    new Set(screens.filter((one) => caseOf(one.where) === caseOf(where)).map(({ screen }) => screen.title));

  it("are tested on screens of many states", () => {
    expect(screens.length).toBeGreaterThan(100);
    expect(states.length).toBeGreaterThan(8);
  });

  it.each(states)("match nothing on a screen that is %s which that state excludes", (state) => {
    const wrong: string[] = [];
    for (const { where, agent, screen } of of(state)) {
      for (const id of new Set([profileFor(agent).id, "generic"])) {
        const facts = stated(id, screen);
        const said = excludedBy(state, agent).filter((fact) => says(facts, fact));
        if (said.length > 0) wrong.push(`${id} says ${said.join(", ")} of ${where}: ${detail(facts)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(IDS)("of %s match no problem on the screen of another healthy program", (id) => {
    const wrong: string[] = [];
    for (const { where, agent, screen } of ["idle", "working", "tool_running", "done"].flatMap(of)) {
      if (profileFor(agent).id === id) continue;
      const facts = stated(id, screen);
      const said = (["retry", "error", "limit", "dialog"] as const).filter((fact) => says(facts, fact));
      if (said.length > 0) wrong.push(`${said.join(", ")} of ${where}: ${detail(facts)}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(PROMPTS))("read a dialog that is %s as no other", (state) => {
    for (const { where, agent, screen } of of(state)) {
      expect(stated(profileFor(agent).id, screen).dialog?.prompt, where).toBe(PROMPTS[state]);
    }
  });

  it.each(Object.keys(TITLE_EXCLUDES))("of titles match nothing that %s excludes", (state) => {
    const wrong: string[] = [];
    for (const { where, agent, screen } of of(state)) {
      // A title that does not change is ignored: inside tmux Claude Code writes its own only once.
      if (screen.title === null || titlesOf(where).size < 2) continue;
      for (const id of new Set([profileFor(agent).id, "generic"])) {
        const status = compileProfile(profileFor(id)).statusOfTitle(screen.title);
        // A title that guesses that a silent command waits for input is ignored too: see `core/judgement/evidence/prompts.ts`.
        const { busy, tool } = stated(id, screen);
        if (status === "blocked" && busy && tool) continue;
        if (status && TITLE_EXCLUDES[state]?.includes(status))
          wrong.push(`${id}: ${screen.title} is ${status} of ${where}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
