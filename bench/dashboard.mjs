/**
 * The fleet screen of the dashboard with 10,000 simulated agents beside the same page with 10, in one Chromium: the time of
 * a frame while scrolling and while events arrive, and the heap.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const CHROMIUM = "/usr/bin/chromium";
const DIST = join(import.meta.dirname, "../dist/web");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const FRAMES = 300;
const EVENTS_EVERY_MS = 100;
const STATES = [
  ["needs_input", "permission", "you"],
  ["stuck", "loop", "none"],
  ["working", null, "agent"],
  ["rate_limited", "limit", "provider"],
];

export async function benchDashboard() {
  if (!existsSync(CHROMIUM)) {
    console.error("dashboard: skipped, Chromium is not installed");
    return [];
  }
  const { chromium } = await import("playwright-core");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  try {
    const small = await measure(browser, 10);
    // As many rows on the page as with 10,000: the 10 agents fit into the window and hardly scroll.
    const middle = await measure(browser, 100);
    const large = await measure(browser, 10_000);
    const detail = { "10 agents (ms)": small.p99, "100 agents (ms)": middle.p99, "10,000 agents (ms)": large.p99 };
    return [
      {
        name: "dashboard: p99 frame, 10,000 agents / 10",
        figure: large.p99 / small.p99,
        unit: "x",
        relation: "<=",
        bar: 2,
        detail,
      },
      {
        name: "dashboard: heap with 10,000 agents",
        figure: large.heapMb,
        unit: "MB",
        relation: "<=",
        bar: 150,
        detail: {},
      },
    ];
  } finally {
    await browser.close();
  }
}

async function measure(browser, count) {
  const server = simulated(count);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/#login=bench`);
    await page.evaluate(() => (location.hash = "#/fleet?all=1"));
    await page.locator(".row").first().waitFor();
    // The first load is not part of a frame.
    await page.waitForTimeout(2000);
    const frames = await page.evaluate(scroll, FRAMES);
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    frames.sort((a, b) => a - b);
    return { p99: frames[Math.floor(frames.length * 0.99)], heapMb: usedSize / 1024 / 1024 };
  } finally {
    await page.close();
    server.closeAllConnections();
    server.close();
  }
}

/** Runs in the page: milliseconds between frames while the list scrolls. */
async function scroll(count) {
  const list = document.querySelector(".list");
  const times = [];
  let last = await new Promise(requestAnimationFrame);
  for (let i = 0; i < count; i++) {
    list.scrollTop = (list.scrollTop + 400) % Math.max(1, list.scrollHeight - list.clientHeight);
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}

function simulated(count) {
  const agents = Array.from({ length: count }, (_, i) => agentOf(i));
  const files = new Map(
    readdirSync(DIST, { recursive: true }).map((name) => [
      `/${String(name)}`.replace("/index.html", "/"),
      join(DIST, String(name)),
    ]),
  );
  return createServer((request, response) => {
    const path = request.url.split("?")[0];
    const file = files.get(path);
    if (file && extname(file)) {
      response.writeHead(200, { "content-type": TYPES[extname(file)] }).end(readFileSync(file));
    } else if (path === "/v1/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: hello\ndata: {"says":""}\n\n');
      const timer = setInterval(() => {
        const agent = { ...agents[Math.floor(Math.random() * count)], last_activity: new Date().toISOString() };
        response.write(
          `event: assessment\ndata: ${JSON.stringify({ kind: "assessment", agent: agent.name, data: agent })}\n\n`,
        );
      }, EVENTS_EVERY_MS);
      request.on("close", () => clearInterval(timer));
    } else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answerOf(path, agents)));
  });
}

function answerOf(path, agents) {
  if (path === "/v1/web/session") return { token: "bench", name: "bench", rights: ["read"], expires_at: null };
  if (path === "/v1/agents") return { agents };
  if (path === "/v1/incidents") return { incidents: [] };
  return { slot_secs: 1800, agents: agents.map(({ name }) => ({ agent: name, states: Array(48).fill("working") })) };
}

function agentOf(i) {
  const [state, cause, move] = STATES[i % STATES.length];
  const at = new Date(Date.now() - i * 1000).toISOString();
  return {
    name: `agent-${i}`,
    kind: "claude-code",
    session: `s-${i}`,
    origin: "spawn",
    tags: ["worker"],
    workspace: `/src/app-${i}`,
    task: `T-${i}`,
    pid: i,
    state,
    cause,
    move,
    question: move === "you" ? "Run database migration?" : null,
    level: "act",
    confidence: 0.9,
    since: at,
    until: null,
    doing: "npm test",
    reasons: ["Same call, same result, 6 rounds; no file changed", "Others on this machine are fine"],
    last_activity: at,
    last_output: at,
    tokens_per_hour: 1000,
    cost_usd_per_hour: 0.1,
    spend: null,
    healthy: state === "working",
    unobserved: null,
    started_at: at,
    ended_at: null,
  };
}
