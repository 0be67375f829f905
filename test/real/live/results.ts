/** The results of the live table, kept per cell and version over several runs, and the page that shows them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  LIVE_WAYS,
  type LiveWay,
  PROGRAMS,
  type ProgramName,
  SITUATIONS,
  type Situation,
  type SituationName,
  situationOf,
} from "./situations.js";

export interface CellRun {
  date: string;
  ruleset: number;
  /** Busy processes that were started beside it. */
  load: number;
  /** Of the machine, over the last minute of the run. */
  load_average: number;
  verdict: "right" | "missed";
  /** Seconds from the truth to the last expected report; null if it never came. */
  delay: number | null;
  /** Seconds of the delay in which the client got no CPU: not counted against the limit of the report. */
  starved_s?: number;
  /** Whether the request after the recovery had the task; null without a recovery. */
  kept_task: boolean | null;
  /** What was wrong; null if nothing was. */
  miss: string | null;
}

export interface CellName {
  program: ProgramName;
  situation: SituationName;
  way: LiveWay;
}

/** Cell, then version, then runs in order of time. */
type Results = Record<string, Record<string, CellRun[]>>;

const EVIDENCE = join(import.meta.dirname, "..", "..", "..", "docs", "evidence");
const FILE = join(EVIDENCE, "live.json");
const PAGE = join(EVIDENCE, "live.md");

export const pathOf = ({ program, situation, way }: CellName): string => `${program}/${situation}/${way}`;

export const ALL_CELLS: readonly CellName[] = SITUATIONS.flatMap((situation) =>
  LIVE_WAYS.flatMap((way) => PROGRAMS.map((program) => ({ program, situation, way }))),
);

/** `codex/hang/tmux`; a `*` or a missing part stands for all. */
export function cellsFor(pattern: string): CellName[] {
  const [program = "*", situation = "*", way = "*"] = pattern.split("/");
  const fits = (part: string, name: string): boolean => part === "*" || part === "" || part.split(",").includes(name);
  const found = ALL_CELLS.filter(
    (cell) => fits(program, cell.program) && fits(situation, cell.situation) && fits(way, cell.way),
  );
  if (found.length === 0) throw new Error(`no cell is called ${pattern}; for example: codex/hang/tmux`);
  return found;
}

const read = (): Results => (existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Results) : {});

export function keep(cell: CellName, version: string, run: CellRun): void {
  const results = read();
  const versions = results[pathOf(cell)] ?? {};
  versions[version] = [...(versions[version] ?? []), run];
  results[pathOf(cell)] = versions;
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
  writePage();
}

function writePage(): void {
  writeFileSync(PAGE, pageOf(read()));
}

const HEAD = `# The live table

Real programs under rouse against the scripted model server: \`npm run test:real -- --cell codex/hang/tmux\` runs one cell and adds its result here and to
[live.json](live.json). The truth is the server's log. "3 of 3, 97 s" means: three runs, all right, and the slowest report 97 s after the truth. A run is
right only if every expected report came in time, nothing false was reported or sent, nothing was typed where nothing may be typed, and the request after a
recovery still contained the task. "task kept 1 of 1" counts the recoveries that were awaited: a run with \`--until report\` ends before. Runs with busy processes
beside them are counted with the others; live.json has the load average of each. Since 2026-11-19 time in which the client was ready to run and got no CPU
(\`starved_s\` in live.json) is not counted against the limit of a report, as the clocks of rouse do not count it; the seconds in the table contain it.
This page is generated.
`;

/** Written by hand: what the misses were due to. */
const CAUSES = `## Causes of the misses

Since its last miss each of these cells was right in one to nine runs, the last of them on 2026-11-19.

| cell | cause | since then |
| --- | --- | --- |
| gemini/async | a terminal without 24-bit colour: the composer has plain rules there, so generic rules read the screen and missed its background processes | recording \`gemini/background-plain-rules\` |
| gemini/limit | the test expected \`needs_input\` as the state; the state is the limit, and the problem, the message and the move are the user's question | recording \`gemini/limit-menu\`, \`src/core/forecast.test.ts\`, \`src/daemon/views/view.test.ts\` |
| gemini/hang, the task is missing | Esc takes the cancelled turn out of Gemini CLI's history | stop and resume instead: the trait \`keepsInterruptedTurn\`, \`src/core/policy/facts.test.ts\` |
| gemini/hang, false complete or gone | the program ends with 0 when rouse stops it; that was reported as its own end, and once as its result | \`src/core/judgement/rules/by-exit.test.ts\`; \`gone\` between rouse's own stop and resume is no miss |
| gemini/kill | believed: the records of the killed process were read as a running turn of the resumed one | older records are history: \`test/quick/resumed-agent.test.ts\` |
| gemini/starved | the model server repeated a sentence, and the program asked about a loop | no sentence twice |
| gemini/hang and opencode/hang, not in time | the clocks stretch while the client gets no CPU; the test counted that time | counted apart since 2026-11-19 |
`;

export function pageOf(results: Results): string {
  const tables = LIVE_WAYS.map((way) => tableOf(results, way));
  return [HEAD, ...tables, missesOf(results), CAUSES, situationsOf()].join("\n");
}

function tableOf(results: Results, way: LiveWay): string {
  const rows = SITUATIONS.map((situation) => [
    situation,
    ...PROGRAMS.map((program) => cellText(results, { program, situation, way })),
  ]);
  const head = ["situation", ...PROGRAMS.map((program) => columnOf(results, program))];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [`## ${way}`, "", ...lines, ""].join("\n");
}

function columnOf(results: Results, program: ProgramName): string {
  const versions = Object.entries(results).flatMap(([cell, byVersion]) =>
    cell.startsWith(`${program}/`) ? Object.keys(byVersion) : [],
  );
  return [program, ...[...new Set(versions)].sort()].join(" ");
}

function cellText(results: Results, cell: CellName): string {
  if (typeof situationOf(cell.program, cell.situation, cell.way) === "string") return "does not apply";
  const runs = Object.values(results[pathOf(cell)] ?? {}).flat();
  if (runs.length === 0) return "not run";
  const right = runs.filter(({ verdict }) => verdict === "right");
  const delays = right.flatMap(({ delay }) => delay ?? []);
  const slowest = delays.length > 0 ? `, ${Math.max(...delays).toFixed(1)} s` : "";
  const recovered = runs.filter(({ kept_task }) => kept_task !== null);
  const kept = recovered.filter(({ kept_task }) => kept_task);
  const task = recovered.length > 0 ? `; task kept ${kept.length} of ${recovered.length}` : "";
  const text = `${right.length} of ${runs.length}${slowest}${task}`;
  return right.length === runs.length ? text : `**${text}**`;
}

function missesOf(results: Results): string {
  const lines = Object.entries(results).flatMap(([cell, versions]) =>
    Object.entries(versions).flatMap(([version, runs]) =>
      runs
        .filter(({ verdict }) => verdict === "missed")
        .map(({ date, ruleset, load, load_average, starved_s = 0, miss }) => {
          const starved = starved_s > 0 ? `, ${starved_s} s without CPU time` : "";
          const busy = `${load > 0 ? `, ${load} busy processes` : ""}${starved}`;
          const where = `${cell} ${version}, ${date}, ruleset ${ruleset}, load average ${load_average}${busy}`;
          return `- ${where}: ${miss?.replaceAll(/[\n`]/g, " ").replaceAll("|", "\\|")}`;
        }),
    ),
  );
  return ["## Misses", "", ...(lines.length > 0 ? lines : ["None."]), ""].join("\n");
}

function situationsOf(): string {
  const lines = SITUATIONS.flatMap((name) => {
    const all = PROGRAMS.flatMap((program) =>
      LIVE_WAYS.map((way) => ({ program, is: situationOf(program, name, way) })),
    );
    const texts = new Map<string, Set<ProgramName>>();
    for (const { program, is } of all) {
      const text = typeof is === "string" ? `Does not apply: ${is}.` : (is as Situation).about;
      texts.set(text, (texts.get(text) ?? new Set()).add(program));
    }
    return [...texts].map(([text, programs]) => {
      const which = programs.size === PROGRAMS.length ? "" : ` (${[...programs].join(", ")})`;
      return `- **${name}**${which}: ${text}`;
    });
  });
  return ["## Situations", "", ...lines, ""].join("\n");
}
