/** Files that no recorder wrote, each named after its error. Nothing here is random. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const HEADER = '{"version":2,"width":80,"height":24,"timestamp":1767614400}\n';
const event = (t: number | string, text: string): string => `[${t},"o",${JSON.stringify(text)}]\n`;

/** Bytes that look random and are the same in every run. */
function noise(bytes: number, seed = 1): Uint8Array {
  const out = new Uint8Array(bytes);
  let x = seed;
  for (let i = 0; i < bytes; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    out[i] = x >>> 24;
  }
  return out;
}

const zipped = gzipSync(HEADER + event(1, "hello\r\n").repeat(2000));
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), noise(4000, 7)]);
const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** Recordings that cannot be read at all: one clear line each, and exit code 1. */
export const UNREADABLE: Readonly<Record<string, string | Uint8Array>> = {
  "empty.cast": "",
  "newline-only.cast": "\n",
  "random.cast": noise(100_000),
  "png.cast": PNG,
  "utf16.cast": Buffer.from(`\ufeff${HEADER}${event(1, "x")}`, "utf16le"),
  "nul.cast": Buffer.alloc(50_000),
  "torn-header.cast": HEADER.slice(0, 20),
  "torn-gzip-header.cast.gz": zipped.subarray(0, 12),
  "foreign.jsonl": '{"type":"user","message":{"content":"hi"}}\n{"type":"assistant"}\n',
  "array.cast": "[1,2,3]\n",
  "version-1.cast": '{"version":1,"width":80,"height":24,"stdout":[[0.1,"x"]]}\n',
  "no-size.cast": '{"version":2}\n',
  "word-size.cast": '{"version":2,"width":"wide","height":24}\n',
  "deep-header.cast": `${nested(50_000)}\n`,
  "long-line.cast": `${"x".repeat(10_000_000)}\n`,
  "null.cast": "null\n",
};

/** Recordings with a readable rest: the damage is skipped, and lost lines are counted. */
export const DAMAGED: Readonly<Record<string, string | Uint8Array>> = {
  "header-only.cast": HEADER,
  "torn-line.cast": `${HEADER}${event(1, "hello")}[2,"o","wor`,
  "torn-gzip.cast.gz": zipped.subarray(0, zipped.length - 20),
  "long-event.cast": HEADER + event(1, "a") + event(2, "x".repeat(10_000_000)) + event(3, "b"),
  "deep-event.cast": `${HEADER}${nested(100_000)}\n${event(2, "x")}`,
  "odd-times.cast": `${HEADER}${event(-5, "a")}${event("1e999", "b")}${event("null", "c")}${event(9, "d")}${event(3, "e")}`,
  "huge-time.cast": HEADER + event(1, "a") + event("1e300", "b") + event(2, "c"),
  "far-time.cast": HEADER + event(1, "a") + event("1e12", "b"),
  "years.cast": HEADER + event(1, "a") + event(20_000_000, "b"),
  "no-size-at-all.cast": HEADER.replace("80", "0").replace("24", "0") + event(1, "x"),
  "absurd-size.cast": HEADER.replace("80", "100000").replace("24", "100000") + event(1, "x"),
  "negative-size.cast": HEADER.replace("80", "-5").replace("24", "-7.5") + event(1, "x"),
  "huge-size.cast": HEADER.replace("80", "1e308").replace("24", "1e308") + event(1, "x"),
  "resize-storm.cast":
    HEADER +
    Array.from({ length: 500 }, (_, i) => `[${i / 100},"r","${(i * 37) % 10000}x${(i * 91) % 10000}"]\n`).join(""),
  "huge-stamp.cast": HEADER.replace("1767614400", "1e300") + event(1, "You've hit your limit · resets 5pm"),
  "odd-kinds.cast": `${HEADER}[1,"z","x"]\n[1,"o",5]\n[1]\n[]\n{}\n[2,"r","9999999999x1"]\n${event(3, "x")}`,
  "lone-surrogates.cast": `${HEADER}[1,"o","\\ud800\\udc00\\ud800 \\udfff"]\n`,
  "binary-tail.cast": Buffer.concat([Buffer.from(HEADER + event(1, "x")), noise(200_000, 3)]),
  "osc-flood.cast":
    HEADER +
    event(1, `\u001b]7501;${"x".repeat(100_000)}\u0007`.repeat(20)) +
    event(2, `\u001b]0;${"t".repeat(1_000_000)}\u0007`),
  "open-escape.cast": HEADER + event(1, `\u001b]0;${"never closed ".repeat(50_000)}`) + event(9, "x"),
  "wide.cast": HEADER + event(1, "漢字👩‍👩‍👧‍👦e\u0301\u0301\u0301\u0301".repeat(2000)),
};

/** Case folders with broken parts; each contains a good recording, so that only the part is at fault. */
export const BROKEN_CASES: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  "meta-torn": { "meta.json": '{"agent":"claude"' },
  "meta-array": { "meta.json": "[]" },
  "meta-word": { "meta.json": '"x"' },
  "meta-binary": { "meta.json": noise(5000, 9) },
  "meta-deep": { "meta.json": `{"agent":"claude","timeline":${nested(100_000)}}` },
  "meta-huge": { "meta.json": `{"agent":"claude","x":"${"y".repeat(11_000_000)}"}` },
  "meta-odd": {
    "meta.json": '{"agent":["claude"],"mode":{},"size":["a",null],"timeline":{"a":1},"t_exit":"soon","t_end":1e999}',
    "session.cast": HEADER,
  },
  "size-odd": {
    "meta.json": '{"agent":"claude","size":[1e300,-1],"t_end":5,"timeline":[[0,"working"]]}',
    "session.cast": HEADER + event(1, "x"),
  },
  "exit-odd": {
    "meta.json": '{"agent":"claude","t_exit":1e300,"exit":1e300,"t_end":5,"timeline":[[0,"working"]]}',
    "session.cast": HEADER + event(1, "x"),
  },
  "transcript-odd": {
    "meta.json": '{"agent":"claude","t_end":5,"timeline":[[0,"working"]]}',
    "session.cast": HEADER + event(1, "x"),
    "transcript-1.jsonl": Buffer.concat([noise(50_000, 5), Buffer.from(`\n${nested(100_000)}\n{"type":5}\n`)]),
    "transcript-times.jsonl":
      '{"t":1e300,"file":"a","lines":[1,2]}\n{"t":-5,"file":"a","lines":[{}]}\nnull\n{"t":1,"file":{},"lines":5}\n',
    "transcript-db.jsonl": '{"table":"message","data":{"time":{"created":1e300}}}\nx\n',
    "hooks.jsonl": '{"t":1e300,"hook_event_name":"Stop"}\n{"t":-1}\n[]\n',
  },
  "no-recording": { "meta.json": '{"agent":"claude"}' },
};

export function writeHostile(root: string): void {
  for (const [name, bytes] of Object.entries({ ...UNREADABLE, ...DAMAGED })) writeFileSync(join(root, name), bytes);
  for (const [name, files] of Object.entries(BROKEN_CASES)) {
    const folder = join(root, "cases", name);
    mkdirSync(folder, { recursive: true });
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(folder, file), bytes);
  }
  mkdirSync(join(root, "folder.cast"));
  mkdirSync(join(root, "cases", "cast-is-folder", "session.cast"), { recursive: true });
  mkdirSync(join(root, "cases", "meta-is-folder", "meta.json"), { recursive: true });
  mkdirSync(join(root, "cases", "loop"), { recursive: true });
  symlinkSync("loop", join(root, "cases", "loop", "loop"));
  symlinkSync(join(root, "loop.cast"), join(root, "loop.cast"));
  symlinkSync(join(root, "nowhere"), join(root, "dangling.cast"));
  writeFileSync(join(root, "locked.cast"), HEADER);
  chmodSync(join(root, "locked.cast"), 0);
}
