/** Figures from the JSON of `rouse eval` and `npm run bench`, and from the mutation report. Each: value, date and source command. */

const CORPUS = "bin/rouse eval CORPUS --json";
const RECORDINGS = "bin/rouse eval test/fixtures/cases --json";
const BENCH = "npm run bench -- --json";
const MUTATE = "npm run mutate";

/** `eval --json` of the labelled corpus. */
export const corpusFigures = (result, date) => evalFigures("corpus", result, { date, source: CORPUS });

/** `eval --json` of the repository's own recordings. */
export const recordingsFigures = (result, date) => evalFigures("recordings", result, { date, source: RECORDINGS });

function evalFigures(name, { live, events, reset_times, sessions }, origin) {
  const figures = {};
  const add = (key, value) => {
    figures[`${name}.${key}`] = { value, ...origin };
  };
  const detection = (key, { detected, of, p50, p95 }) => {
    add(`${key}.found`, detected);
    add(`${key}.of`, of);
    add(`${key}.p50`, rounded(p50, 1));
    add(`${key}.p95`, rounded(p95, 1));
  };
  if (live) {
    add("cases", live.cases);
    for (const [state, found] of Object.entries(live.states)) detection(`states.${state}`, found);
    detection("pooled", live.pooled);
    detection("all", live.total);
    add("false_alarms", live.false_alarms.length);
    add("false_completions", live.false_completions.length);
    add("not_held", live.not_held.length);
  }
  if (events) {
    add("events.cases", events.cases);
    add("events.precision", rounded(events.semantic.precision, 2));
    add("events.recall", rounded(events.semantic.recall, 2));
    add("events.all_precision", rounded(events.all.precision, 2));
    add("events.all_recall", rounded(events.all.recall, 2));
  }
  if (reset_times) {
    add("reset_times.right", reset_times.right);
    add("reset_times.of", reset_times.of);
  }
  if (sessions) {
    add("transcripts.cases", sessions.sessions);
    add("transcripts.quiet_hours", rounded(sessions.agent_hours, 1));
    add("transcripts.alarms", sessions.alarms.length);
    for (const [label, { detected, of }] of Object.entries(sessions.found)) {
      add(`transcripts.${label}.found`, detected);
      add(`transcripts.${label}.of`, of);
    }
  }
  return figures;
}

/** `bench --json`: the figure of each row, with its unit and bar. */
export const benchFigures = ({ at, results }) =>
  Object.fromEntries(
    results.map(({ name, figure, unit, relation, bar, met }) => [
      `speed.${name}`,
      { value: significant(figure), unit, relation, bar, met, date: at.slice(0, 10), source: BENCH },
    ]),
  );

/** docs/evidence/mutation.md; empty if it names no figure. */
export function mutationFigures(page, date) {
  const [, killed, of] = /(\d+) of (\d+) mutants killed/.exec(page) ?? [];
  if (killed === undefined) return {};
  const [, freshKilled, freshOf] = /^Fresh seed: (\d+) of (\d+) mutants killed/m.exec(page) ?? [];
  const origin = { date: /\b20\d\d-\d\d-\d\d\b/.exec(page)?.[0] ?? date, source: MUTATE };
  const figures = { killed, of, fresh_killed: freshKilled, fresh_of: freshOf };
  return Object.fromEntries(
    Object.entries(figures)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [`mutation.${name}`, { value: Number(value), ...origin }]),
  );
}

const rounded = (value, digits) => (typeof value === "number" ? Number(value.toFixed(digits)) : null);
const significant = (value) => Number(value.toPrecision(3));
