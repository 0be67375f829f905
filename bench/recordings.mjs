/** Terminal recordings as they were written: the writes before each check; both sides get the same. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { CHECK_MS } from "../dist/readers/terminal/terminal.js";

export const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "..", "test", "fixtures", "cases");
export { CHECK_MS };

/** Case folders below `root`, in the order of their names. */
export function casesIn(root, depth = 3) {
  if (!existsSync(root)) return [];
  if (existsSync(join(root, "meta.json"))) return [root];
  if (depth === 0) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .flatMap((name) => casesIn(join(root, name), depth - 1));
}

/** One recording: its size, and the writes before each check. */
export function readRecording(folder) {
  const meta = JSON.parse(readFileSync(join(folder, "meta.json"), "utf8"));
  const file = join(folder, "session.cast.gz");
  if (meta.mode === "headless" || !existsSync(file)) return null;
  const [head, ...lines] = gunzipSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
  const header = JSON.parse(head);
  const checks = [];
  let seconds = 0;
  for (const line of lines) {
    const [t, code, data] = JSON.parse(line);
    seconds = Math.max(seconds, t);
    if (code !== "o") continue;
    const check = Math.floor((seconds * 1000) / CHECK_MS);
    while (checks.length <= check) checks.push([]);
    checks[check].push(Buffer.from(data));
  }
  return {
    name: folder.split("/").slice(-2).join("/"),
    agent: meta.agent,
    cols: meta.size?.[0] ?? header.width,
    rows: meta.size?.[1] ?? header.height,
    seconds: meta.t_exit ?? seconds,
    checks,
  };
}

/**
 * A flood as Ink draws one: every frame erases the lines of the last and writes them again, in colour, with a spinner, a
 * clock, a token counter and a reply that grows. The generator is fixed, so every run sees the same bytes.
 */
export function inkFlood({ frames = 3000, framesPerCheck = 15, cols = 120, rows = 40 } = {}) {
  const words = "the parser reads each row once and keeps what it saw so that the next look is cheap".split(" ");
  const spinner = ["✢", "✳", "✶", "✻", "✽"];
  const reply = [];
  const checks = [];
  let drawn = 0;
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed / 2 ** 32;
  };
  for (let n = 0; n < frames; n++) {
    const word = words[Math.floor(random() * words.length)];
    if (n % 12 === 0) reply.push("");
    reply[reply.length - 1] += `${word} `;
    if (reply.length > rows - 10) reply.shift();
    const lines = [
      ...reply.map((text, i) => (i === 0 ? `\x1b[38;2;255;255;255m⏺\x1b[39m ${text}` : `  ${text}`)),
      "",
      `\x1b[38;2;215;119;87m${spinner[n % 5]} Baking…\x1b[39m \x1b[38;2;153;153;153m(${Math.floor(n / 30)}s · ↓ ${n * 3} tokens · esc to interrupt)\x1b[39m`,
      "",
      `\x1b[38;2;136;136;136m${"─".repeat(cols)}\x1b[39m`,
      "❯ ",
      `\x1b[38;2;136;136;136m${"─".repeat(cols)}\x1b[39m`,
      "  \x1b[38;2;153;153;153m? for shortcuts\x1b[39m",
    ];
    const frame = `${"\x1b[2K\x1b[1A".repeat(Math.max(0, drawn - 1))}\x1b[2K\x1b[G${lines.join("\r\n")}`;
    drawn = lines.length;
    if (n % framesPerCheck === 0) checks.push([]);
    checks.at(-1).push(Buffer.from(frame));
  }
  return { name: "ink flood", agent: "claude", cols, rows, seconds: (checks.length * CHECK_MS) / 1000, checks };
}

export const bytesOf = (recordings) =>
  recordings.reduce((sum, r) => sum + r.checks.flat().reduce((n, bytes) => n + bytes.length, 0), 0);
