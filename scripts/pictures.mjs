#!/usr/bin/env node
/**
 * `npm run pictures`: the pictures of the README, from a real run. Writes docs/pictures/dashboard.png, the dashboard of the
 * demo's daemon in Chromium, and docs/pictures/demo.svg, the screen of `rouse demo` as it was recorded, one picture per second.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { callOperation } from "../dist/api/remote.js";
import { Theatre } from "../dist/demo/theatre.js";
import { BoundedTerminal } from "../dist/readers/terminal/bounded-terminal.js";
import { Pty } from "../dist/terminal/pty.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs/pictures");
const CHROMIUM = "/usr/bin/chromium";
const SIZE = { cols: 100, rows: 24 };
const EVERY_MS = 1000;
const CELL = { width: 7.8, height: 16 };
const TIMES = 8;
/** The screenshot is taken when the agents have problems, and none is recovered yet. */
const SHOT_AFTER_MS = 28_000;

async function recordDemo() {
  const screen = new BoundedTerminal(SIZE, 0);
  const env = { ...process.env, TERM: "xterm-256color", NO_COLOR: "1" };
  let isOver = false;
  const command = [process.execPath, join(root, "bin/rouse"), "demo"];
  const events = {
    data: (bytes) => {
      screen.write(bytes);
      return false;
    },
    exit: () => {
      isOver = true;
    },
  };
  new Pty({ command, cwd: root, env, ...SIZE }, events);
  const pictures = [];
  while (!isOver) {
    await sleep(EVERY_MS);
    screen.refill();
    pictures.push(rowsOf(screen.terminal));
  }
  return pictures;
}

function rowsOf({ buffer, rows }) {
  const { active } = buffer;
  return Array.from({ length: rows }, (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? "");
}

/** Each picture is a group that is visible for its second; the animation repeats. */
function svgOf(pictures) {
  const [width, height] = [SIZE.cols * CELL.width + 24, SIZE.rows * CELL.height + 24];
  const seconds = pictures.length + 4;
  const groups = pictures.map((rows, i) => {
    const end = i === pictures.length - 1 ? seconds : i + 1;
    const texts = rows.map((row, y) => (row === "" ? "" : textOf(row, y))).join("");
    return `<g class="p" style="animation-name:p${i}">${texts}</g><style>@keyframes p${i}{0%{visibility:${i === 0 ? "visible" : "hidden"}}${percent(i, seconds)}{visibility:visible}${percent(end, seconds)}{visibility:${end === seconds ? "visible" : "hidden"}}100%{visibility:${end === seconds ? "visible" : "hidden"}}}</style>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img"><title>rouse demo: six agents, each judged and recovered or escalated</title><style>text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#d7dde2;white-space:pre}.p{visibility:hidden;animation:${seconds}s step-end infinite}</style><rect width="100%" height="100%" rx="8" fill="#14181c"/>${groups.join("")}</svg>\n`;
}

const percent = (at, of) => `${((at / of) * 100).toFixed(3)}%`;

function textOf(row, y) {
  const safe = row.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<text x="12" y="${24 + y * CELL.height}" xml:space="preserve">${safe}</text>`;
}

async function takeScreenshot() {
  if (!existsSync(CHROMIUM)) {
    process.stderr.write("pictures: Chromium is not installed; dashboard.png stays as it is\n");
    return;
  }
  const { chromium } = await import("playwright-core");
  const theatre = Theatre.open(TIMES, 20_000 + Math.floor(Math.random() * 10_000));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await sleep(SHOT_AFTER_MS);
    const { url } = await callOperation(theatre.paths.daemonSocket, "web_login", {
      rights: ["read", "control", "admin"],
    });
    const page = await browser.newPage({ viewport: { width: 1200, height: 640 } });
    await page.goto(url);
    await page.evaluate(() => (location.hash = "#/fleet?all=1"));
    await page.locator(".row").first().waitFor();
    await page.screenshot({ path: join(folder, "dashboard.png") });
  } finally {
    await browser.close();
    await theatre.close();
  }
}

mkdirSync(folder, { recursive: true });
await takeScreenshot();
writeFileSync(join(folder, "demo.svg"), svgOf(await recordDemo()));
