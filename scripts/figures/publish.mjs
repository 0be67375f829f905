/** The parts of the pages that publish figures, written from docs/evidence/figures.json. */

const BEGIN = "<!-- figures: written by npm run figures -->\n";
const END = "<!-- end of the figures -->\n";

const STATES = {
  waiting_permission: "permission",
  waiting_trust: "trust",
  waiting_input: "question",
  usage_limited: "usage limit",
  auth_error: "auth",
  context_full: "context full",
  stopped_error: "gave up",
  crashed: "crashed",
  done: "done",
  unreachable: "unreachable",
  hung: "hung",
  looping: "looping",
};

/** Each page with the text of its part. */
export const PAGES = {
  "README.md": summaryText,
  "docs/evidence/accuracy.md": accuracyText,
  "docs/evidence/speed.md": speedText,
};

/** The page with its part replaced; an error if it has none. */
export function publish(page, text) {
  const [head, rest] = page.split(BEGIN);
  const tail = rest?.split(END)[1];
  if (tail === undefined) throw new Error("the page has no part for figures");
  return `${head}${BEGIN}${text === "" ? "" : `\n${text}\n\n`}${END}${tail}`;
}

/** Throws for a figure that is missing, so that no page publishes a gap. */
const reader = (figures) => (key) => {
  const figure = figures[key];
  if (figure === undefined) throw new Error(`no figure ${key}; see npm run figures`);
  return figure.value;
};

const counted = (count, word) => (count === 0 ? `no ${word}` : `${count} ${word}${count === 1 ? "" : "s"}`);

const foundIn = (of) => (label) =>
  `${of(`corpus.transcripts.${label}.found`)} of ${of(`corpus.transcripts.${label}.of`)}`;

function summaryText(figures) {
  const of = reader(figures);
  const found = foundIn(of);
  const part = (name, what) =>
    `| ${what} | ${of(`${name}.cases`)} | ${of(`${name}.all.found`)} of ${of(`${name}.all.of`)} | ${of(`${name}.false_alarms`)} | ${of(`${name}.pooled.p95`)} s | ${of(`${name}.states.hung.p95`)} s |`;
  return [
    "| recordings | cases | problems found | false alarms | delay p95: prompts, limits, errors, results | delay p95: hangs |",
    "|---|---|---|---|---|---|",
    part("corpus", "labelled corpus (private)"),
    part("recordings", "this repository"),
    "",
    `From transcripts alone, without a screen: ${found("stalled")} stalls, ${found("rate_limited")} limits, ${found("api_error")} API errors found, ` +
      `${counted(of("corpus.transcripts.alarms"), "false alarm")} in ${of("corpus.transcripts.quiet_hours")} hours. The rules were ` +
      "developed on these recordings, so the figures do not predict the accuracy on others.",
  ].join("\n");
}

function accuracyText(figures) {
  const of = reader(figures);
  const row = (key, what) =>
    `| ${what} | ${of(`${key}.found`)} of ${of(`${key}.of`)} | ${fixed(of(`${key}.p50`))} | ${fixed(of(`${key}.p95`))} |`;
  const found = foundIn(of);
  return [
    `Taken on ${figures["corpus.cases"]?.date}: ${of("corpus.cases")} live cases.`,
    "",
    "| label | found | p50 s | p95 s |",
    "|---|---|---|---|",
    ...Object.entries(STATES)
      .filter(([state]) => figures[`corpus.states.${state}.of`])
      .map(([state, what]) => row(`corpus.states.${state}`, what)),
    row("corpus.pooled", "prompts, limits, errors and results, pooled"),
    row("corpus.all", "all"),
    "",
    `${capitalized(counted(of("corpus.false_alarms"), "false alarm"))}, ${counted(of("corpus.false_completions"), "false completion")}, ${counted(of("corpus.not_held"), "verdict")} that did not hold.`,
    `Event streams (${of("corpus.events.cases")}): precision ${of("corpus.events.precision").toFixed(2)}, recall ${of("corpus.events.recall").toFixed(2)}; with cases that suites disagree about ${of("corpus.events.all_precision").toFixed(2)} and ${of("corpus.events.all_recall").toFixed(2)}.`,
    `Reset times: ${of("corpus.reset_times.right")} of ${of("corpus.reset_times.of")} right to the minute.`,
    `Transcripts (${of("corpus.transcripts.cases")}): ${counted(of("corpus.transcripts.alarms"), "alarm")} in ${of("corpus.transcripts.quiet_hours")} quiet agent-hours; stalls ${found("stalled")}, limits ${found("rate_limited")}, API errors ${found("api_error")} found.`,
    `Recordings of this repository: ${of("recordings.all.found")} of ${of("recordings.all.of")} problems of ${of("recordings.cases")} recordings, p95 ${fixed(of("recordings.pooled.p95"))} s pooled.`,
    ...("mutation.of" in figures
      ? [`Mutation run: ${of("mutation.killed")} of ${of("mutation.of")} mutants killed${freshText(figures)}.`]
      : []),
  ].join("\n");
}

function freshText(figures) {
  if (!("mutation.fresh_of" in figures)) return "";
  const of = reader(figures);
  return `; ${of("mutation.fresh_killed")} of ${of("mutation.fresh_of")} of a seed that no test was written for`;
}

/** Empty before the first complete `npm run bench -- --json` was read. */
function speedText(figures) {
  const rows = Object.entries(figures).filter(([key]) => key.startsWith("speed."));
  if (rows.length === 0) return "";
  return [
    `Taken on ${rows[0][1].date} with \`${rows[0][1].source}\`.`,
    "",
    "| what | figure | bar | |",
    "|---|---|---|---|",
    ...rows.map(
      ([key, { value, unit, relation, bar, met }]) =>
        `| ${key.slice("speed.".length)} | ${value} ${unit} | ${relation === ">=" ? "≥" : "≤"} ${bar} | ${met ? "met" : "missed"} |`,
    ),
  ].join("\n");
}

const fixed = (value) => (value === null ? "–" : value.toFixed(1));
const capitalized = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
