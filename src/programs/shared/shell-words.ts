/**
 * Splits a shell command into simple commands and words, in one pass over bounded text. It is not a shell: it knows
 * quotes, separators, redirections, comments and here-documents, which is enough to find the started programs.
 */

export interface SimpleCommand {
  words: string[];
  /** Its input comes from a pipe, a file or a here-document, so it cannot wait for the terminal. */
  fed: boolean;
  /** Its output goes into a pipe. */
  pipes: boolean;
  /** It ends in a single `&`. */
  background: boolean;
}

const TEXT_MAX = 8192;
const COMMANDS_MAX = 64;
const WORDS_MAX = 64;
const WORD_MAX = 4096;

/** Splits `text` into its simple commands; anything beyond the limits is left out. */
export function simpleCommands(text: string): SimpleCommand[] {
  const source = text.slice(0, TEXT_MAX);
  const commands: SimpleCommand[] = [];
  const hereDocuments: string[] = [];
  /**
   * The start of the open brackets, and the content of the last closed ones: `( … ) &` puts all of it in the
   * background.
   */
  const groups: number[] = [];
  let closed = -1;
  let current = fresh(false);
  let word = "";
  let isWord = false;
  /** The next word is the target of a redirection. */
  let redirected = false;

  const endWord = (): void => {
    if (isWord && !redirected && current.words.length < WORDS_MAX) current.words.push(word.slice(0, WORD_MAX));
    if (isWord) redirected = false;
    word = "";
    isWord = false;
  };
  const endCommand = (pipes: boolean, background: boolean): void => {
    endWord();
    redirected = false;
    if (current.words.length > 0 && commands.length < COMMANDS_MAX) commands.push({ ...current, pipes, background });
    current = fresh(pipes);
  };

  for (let i = 0; i < source.length; i++) {
    const c = source.charAt(i);
    const next = source.charAt(i + 1);
    if (c === "'" || c === '"') {
      const end = closingQuote(source, i, c);
      word += source.slice(i + 1, end);
      isWord = true;
      i = end;
    } else if (c === "\\") {
      if (next !== "\n") {
        word += next;
        isWord = true;
      }
      i++;
    } else if (c === "#" && !isWord) {
      const end = source.indexOf("\n", i);
      i = (end < 0 ? source.length : end) - 1;
    } else if (c === "\n") {
      endCommand(false, false);
      i = skipHereDocuments(source, i, hereDocuments);
    } else if (c === ";" || c === "(" || c === ")" || c === "`") {
      endCommand(false, false);
      if (c === "(") groups.push(commands.length);
      if (c === ")") closed = groups.pop() ?? -1;
      else closed = -1;
    } else if (c === "|") {
      endCommand(next !== "|", false);
      if (next === "|" || next === "&") i++;
    } else if (c === "&" && next !== ">" && source.charAt(i - 1) !== ">") {
      const isEmpty = current.words.length === 0 && !isWord;
      endCommand(false, next !== "&");
      if (isEmpty && closed >= 0 && next !== "&")
        for (const command of commands.slice(closed)) command.background = true;
      if (next === "&") i++;
    } else if (c === ">" || c === "<") {
      // The number of a descriptor ("2>") is not a word.
      if (/^\d$/.test(word)) isWord = false;
      endWord();
      const here =
        c === "<"
          ? /^<<-?\s{0,4}(?:'([^'\n]{1,64})'|"([^"\n]{1,64})"|([\w.-]{1,64}))/.exec(source.slice(i, i + 80))
          : null;
      if (here && source.charAt(i + 2) !== "<") {
        hereDocuments.push(here[1] ?? here[2] ?? here[3] ?? "");
        current.fed = true;
        i += here[0].length - 1;
      } else {
        if (c === "<") current.fed = true;
        while ("<>&".includes(source.charAt(i + 1)) && i + 1 < source.length) i++;
        redirected = true;
      }
    } else if (c === " " || c === "\t" || c === "\r") {
      endWord();
    } else {
      word += c;
      isWord = true;
    }
  }
  endCommand(false, false);
  return commands;
}

function fresh(fed: boolean): SimpleCommand {
  return { words: [], fed, pipes: false, background: false };
}

function closingQuote(source: string, start: number, quote: string): number {
  for (let i = start + 1; i < source.length; i++) {
    if (quote === '"' && source.charAt(i) === "\\") i++;
    else if (source.charAt(i) === quote) return i;
  }
  return source.length;
}

/** Skips the here-documents that a line announced, from its end; returns the end of the last one. */
function skipHereDocuments(source: string, from: number, delimiters: string[]): number {
  let at = from;
  for (const delimiter of delimiters.splice(0)) {
    let isClosed = false;
    while (!isClosed && at < source.length) {
      const end = source.indexOf("\n", at + 1);
      const line = source.slice(at + 1, end < 0 ? source.length : end);
      at = end < 0 ? source.length : end;
      isClosed = line.trim() === delimiter;
    }
  }
  return at;
}
