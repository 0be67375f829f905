/**
 * Turns the lines of tmux's control mode, which may be cut anywhere, into events. A reply is between `%begin` and
 * `%end` or `%error` with the same three numbers; its rows are the text of a pane, so a row that imitates another mark
 * is text. Outside of a reply every line is a notification. Memory is bounded: input beyond the limits breaks the
 * stream.
 */
export type ControlEvent =
  | { kind: "reply"; own: boolean; ok: boolean; text: string }
  | { kind: "notice"; name: string; words: string }
  | { kind: "broken"; reason: string };

const LINE_BYTES_MAX = 1024 * 1024;
const REPLY_CHARS_MAX = 16 * 1024 * 1024;
const NOTICE_CHARS_MAX = 1000;
const NEWLINE = 10;

const BEGIN = /^%begin (\d{1,20} \d{1,20} (\d{1,10}))$/;
const NOTICE = /^%([a-z-]{1,40})(?: |$)/;
/** tmux answers the attach itself too; its block has flag 0, blocks of commands from standard input have 1. */
const OWN_COMMAND = "1";

export class ControlParser {
  #rest: Buffer = Buffer.alloc(0);
  #block: { id: string; own: boolean; lines: string[]; chars: number } | null = null;
  #broken = false;

  push(bytes: Uint8Array): ControlEvent[] {
    if (this.#broken) return [];
    const events: ControlEvent[] = [];
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : Buffer.from(bytes);
    let from = 0;
    for (let end = data.indexOf(NEWLINE); end >= 0 && !this.#broken; end = data.indexOf(NEWLINE, from)) {
      this.#line(data.toString("utf8", from, end), events);
      from = end + 1;
    }
    this.#rest = data.subarray(from);
    if (this.#rest.length > LINE_BYTES_MAX) this.#break("a line without an end", events);
    return events;
  }

  #line(line: string, events: ControlEvent[]): void {
    const block = this.#block;
    if (!block) {
      this.#outside(line, events);
      return;
    }
    const ok = line === `%end ${block.id}`;
    if (ok || line === `%error ${block.id}`) {
      this.#block = null;
      events.push({ kind: "reply", own: block.own, ok, text: block.lines.join("\n") });
      return;
    }
    block.lines.push(line);
    block.chars += line.length + 1;
    if (block.chars > REPLY_CHARS_MAX) this.#break("a reply without an end", events);
  }

  #outside(line: string, events: ControlEvent[]): void {
    const begin = BEGIN.exec(line);
    if (begin) {
      this.#block = { id: begin[1] as string, own: begin[2] === OWN_COMMAND, lines: [], chars: 0 };
      return;
    }
    const notice = NOTICE.exec(line.slice(0, NOTICE_CHARS_MAX));
    if (notice) {
      const words = line.slice(notice[0].length, NOTICE_CHARS_MAX);
      events.push({ kind: "notice", name: notice[1] as string, words });
    } else this.#break("a line that is neither notice nor reply", events);
  }

  #break(reason: string, events: ControlEvent[]): void {
    this.#broken = true;
    this.#rest = Buffer.alloc(0);
    this.#block = null;
    events.push({ kind: "broken", reason });
  }
}
