/**
 * The reason for the end of a program without a profile that has failed. Every program words its errors differently, so
 * structure decides: the row above a stack trace, a row with a cross or in red, the name or number of an error. Advice,
 * addresses for reports and the remarks of npm below it are passed over. Read once, after the end.
 */
import { knownVendorError } from "../records/vendor-errors.js";
import { belongsAbove, type FailureLine, failureIn, fieldOf, withoutLead } from "./failure-lines.js";
import { oncePerRow, rowOf, type ScreenRow } from "./row.js";
import { isBlank, type ScreenText, wordsIn } from "./screen-text.js";

const ROWS_MAX = 48;
const TEXT_MAX = 400;
const CONTINUED_MAX = 4;

const isCall = oncePerRow((row) => /^\s{2,}at \S|^goroutine \d+ \[|^\s+\/\S{1,300}:\d+ \+0x/.test(row));
const CROSS = /^[\s│┃|└╰◇]{0,6}[✕✗✘✖×⨯❌🚫⛔■▲][\uFE0F]?(?:\s{1,3}|$)/u;
const RESULT = /^[\s│┃|]{0,6}[✓✔√☑✅✕✗✘✖×⨯❌][\uFE0F]?\s/u;
/** An added or removed line, which may be red. */
const DIFF = /^\s{0,4}[-+<>] /;
const NPM = /^npm (?:ERR!|error|warn|WARN|notice)\b/;
/** Names and numbers that only errors have. */
const NAMES =
  /\bE(?:CONN(?:REFUSED|RESET|ABORTED)|NOTFOUND|TIMEDOUT|PIPE|AI_AGAIN|(?:HOST|NET)UNREACH|ACCES|PERM|NOENT|NOSPC|ADDRINUSE)\b|\bUND_ERR_/;
const STATUS = /(?:^|[\s([:])[45]\d\d(?=$|[\s).,:\]])/;
const STATUS_WORDS =
  /^.{0,40}\b(?:unauthorized|forbidden|payment required|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)\b.{0,40}$/i;
const INFORMATIVE =
  /\b(?:errors?|exception|panic(?:ked)?|fail(?:ed|ure)|cannot|can['’]t|could not|unable to|denied|refused|rejected|invalid|expired|missing|not found|timed? ?out|exceeded|unavailable)\b/i;
/** Not the reason: advice, addresses, versions, the ends of a trace. */
const BESIDE =
  /^\W{0,6}(?:usage|help|suggestion|hint|tip|note|see|run|try|please|for more|node:|throw |Node\.js v\d|Traceback )|^\W{0,6}(?:[\w ]{1,20}:? )?(?:https?:\/|~|\.{0,2})\/\S+$|^\s*[\w@/.-]{1,40} v?\d+\.\d+\.\d+\s*$|\b(?:bug report|open an issue|report (?:this|it|the))\b|^[\s{}[\](),;^~]+$/i;

const passesOver = oncePerRow((row) => BESIDE.test(row.slice(0, TEXT_MAX)));

const CAUSE = /^\s+\[cause\]: (\S.{0,300})$/;

const isEntry = (row: ScreenRow): boolean => fieldOf(row) !== null || CAUSE.test(row.text);

export interface LastWords extends FailureLine {
  /** Nothing else was printed below it, and its form is that of a failure: a zero exit code does not refute it. */
  isLast: boolean;
}

/** A printed line, whole if it takes several rows, and its first row. */
interface Line {
  row: ScreenRow;
  y: number;
}

/** What the lines below the reason add to it. */
interface Details {
  status?: number;
  code?: string;
  message?: string;
  cause?: string;
}

/** The lowest line above row `end` that states the reason; null if no line does. */
export function lastWords(screen: ScreenText, end: number): LastWords | null {
  const lines = linesOf(screen, end);
  const details: Details = {};
  let isBelowTrace = false;
  let less: Line | null = null;
  let npm: Line | null = null;
  for (let n = lines.length - 1; n >= 0; n--) {
    const line = lines[n] as Line;
    const { row } = line;
    if (row.isBlank) continue;
    if (isCall(row)) isBelowTrace = true;
    else if ((isBelowTrace && n > 0 && isCall((lines[n - 1] as Line).row)) || isEntry(row)) addDetail(details, row);
    else if (NPM.test(row.text)) npm ??= line;
    else if (passesOver(row)) continue;
    else if (isBelowTrace || states(screen, line)) return stated(screen, lines, n, details);
    else if (INFORMATIVE.test(row.text)) less ??= line;
  }
  const { message } = details;
  if (message !== undefined) return { ...classified(message, message, details), isLast: false };
  const found = less ?? npm;
  return found && { isLimit: false, text: withoutLead(wordsIn(found.row)), isLast: false };
}

function linesOf(screen: ScreenText, end: number): Line[] {
  const lines: Line[] = [];
  for (let y = Math.max(0, end - ROWS_MAX); y < end; y++) {
    const row = screen.rows[y] as ScreenRow;
    const above = lines.at(-1);
    if (above && screen.isWrapped?.(y)) above.row = rowOf(above.row.text + row.text);
    else lines.push({ row, y });
  }
  return lines;
}

/** The lowest field of a name is the one nearest to the reason that the server gave. */
function addDetail(details: Details, row: ScreenRow): void {
  const cause = CAUSE.exec(row.text)?.[1];
  if (cause !== undefined) details.cause ??= cause;
  const { name, value } = fieldOf(row) ?? { name: "", value: "" };
  if (value === "") return;
  if (name.startsWith("status")) details.status ??= Number(value);
  else if (name === "code" || name === "type") details.code ??= value;
  else details.message ??= value;
}

function states(screen: ScreenText, { row, y }: Line): boolean {
  const text = row.text.slice(0, TEXT_MAX);
  if (DIFF.test(text)) return false;
  if (failureIn(text) !== null || CROSS.test(text) || NAMES.test(text) || STATUS_WORDS.test(text)) return true;
  if (STATUS.test(text) && knownVendorError({ text }) !== null) return true;
  return screen.redFrame(y) === true;
}

/** The reason with the lines that continue it, and the cause that all of it names. */
function stated(screen: ScreenText, lines: readonly Line[], at: number, details: Details): LastWords {
  const from = firstOf(lines, at);
  const first = lines[from] as Line;
  const words = [withoutLead(wordsIn(first.row))];
  const isBare = BARE.test(words[0] ?? "");
  let to = from + 1;
  for (; to < lines.length && to - from <= CONTINUED_MAX; to++) {
    const { row } = lines[to] as Line;
    const isContinued = HANGS.test(row.text) || (isBare && to === from + 1);
    if (!isContinued || isCall(row) || isEntry(row) || passesOver(row)) break;
    words.push(wordsIn(row));
  }
  const text = words.filter((word) => word !== "").join(" ");
  const known = failureIn(first.row.text);
  const isLabelled = /^\W{0,4}error\b/i.test(text) && screen.tinted((lines[to - 1] as Line).y) === true;
  const isLast =
    (known !== null || isLabelled) && lines.slice(to).every(({ row }) => isBlank(row) || belongsAbove(row));
  const isOneOfMany = [lines[from - 1], lines[from + 1]].some((line) => line && RESULT.test(line.row.text));
  if (isOneOfMany && known === null) return { isLimit: false, text, isLast: false };
  const cause = details.cause ?? rootCause(lines.slice(to));
  const found = cause === undefined ? classified(text, text, details) : classified(`${text}: ${cause}`, cause, details);
  return { ...found, ...(known?.isLimit && found.cause !== "billing" && { isLimit: true }), isLast };
}

const CAUSED = /^\s{0,4}Caused by:\s*(.{0,300})$/;
const NUMBER = /^\d{1,2}: /;

/** The last of the causes that are listed below a reason: `Caused by: …`, or rows below that heading. */
function rootCause(below: readonly Line[]): string | undefined {
  let root: string | undefined;
  let isListed = false;
  for (const { row } of below) {
    const inline = CAUSED.exec(row.text)?.[1]?.trim();
    if (inline !== undefined) isListed = inline === "";
    else if (row.isBlank || isCall(row)) continue;
    else if (!isListed || !HANGS.test(row.text)) isListed = false;
    if (inline) root = inline;
    else if (isListed && inline === undefined) root = wordsIn(row).replace(NUMBER, "");
  }
  return root;
}

/** Only a sign, or only a label: the reason is below. */
const BARE = /^(?:[^\p{L}]*|(?:an )?error:?)$/iu;
const HANGS = /^[\s│┃|]{2,}\S/;

/** Of several lines that state a failure, right below each other, the first names it. */
function firstOf(lines: readonly Line[], n: number): number {
  let first = n;
  for (let m = n - 1; m >= 0 && !isBlank(lines[m]?.row); m--) {
    const { row } = lines[m] as Line;
    if (failureIn(row.text) !== null || CROSS_ALONE.test(row.text)) first = m;
    else if (!isCall(row) && !passesOver(row)) break;
  }
  return first;
}

const CROSS_ALONE = /^\s{0,4}[✕✗✘✖×⨯❌🚫⛔]$/u;

function classified(text: string, said: string, { status, code }: Details): FailureLine {
  const known = knownVendorError({ status, code, text: said });
  if (known === null) return { isLimit: false, text };
  if (known.kind === "limit" || (known.kind === "retry" && known.infra === "rate")) return { isLimit: true, text };
  return { isLimit: false, cause: known.kind === "error" ? known.cause : "api", text };
}
