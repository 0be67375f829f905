/** The dashboard in a real browser, on a real daemon with scripted agents. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOperation } from "../../src/api/remote.js";
import { rousePaths } from "../../src/config/paths.js";
import { makeToken, openPort } from "../support/api.js";
import { isMissing } from "../support/component.js";
import { EVIL } from "../support/evil.js";
import { reaches, receivedBy, spawnFake, typeInto } from "../support/fake-agent.js";
import { closeHome, type Home, makeHome, rouse, until } from "../support/hosts.js";
import { chromiumPath, loginLink, openBrowser, openDashboard, type Page, type TestBrowser } from "./browser.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const CRASHED = "a-crash-with-a-name-of-40-characters-and";
const MARKUP = `<img src=x onerror="alert(1)"><script>alert(2)</script><b style="position:fixed">`;

let home: Home;
let port: number;
let browser: TestBrowser;
let page: Page;

const row = (name: string) => page.getByRole("article", { name, exact: true });
const receipt = (name: string) => row(name).getByRole("status");
const show = async (view: string): Promise<void> => {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, view);
};

describe.skipIf(isMissing("Chromium", chromiumPath))("the dashboard", () => {
  beforeAll(async () => {
    home = makeHome("on");
    port = await openPort(home);
    await spawnFake(home, "asker", { steps: [{ do: "idle" }, { do: "ask", command: MARKUP }], logs: true });
    await spawnFake(home, "ready", { steps: [{ do: "idle" }], logs: true });
    await rouse(home, ["spawn", "--name", "shell", "--", "cat"]);
    await spawnFake(home, "billing", { steps: [{ do: "idle" }, { do: "fail", why: "billing" }] });
    await typeInto(home, "asker", "push it");
    await typeInto(home, "billing", "go on");
    await reaches(home, "asker", "needs_input/permission");
    await reaches(home, "billing", "error/billing");
    browser = await openBrowser();
    page = await openDashboard(home, browser);
  });

  afterAll(async () => {
    await browser?.close();
    for (const name of ["asker", "ready", "billing", "evil", "shell", "long", "endless"])
      await rouse(home, ["stop", name, "--grace", "1"]);
    await rouse(home, ["down"]);
    expect(await closeHome(home)).toEqual({ processes: [], sockets: [] });
  });

  it("shows the agents that need the user first, quotes the question, and counts the healthy ones", async () => {
    await row("asker").waitFor();
    expect(await page.getByRole("article").first().getAttribute("aria-label")).toBe("asker");
    expect(await row("asker").locator(".quote").textContent()).toContain("Do you want to proceed?");
    expect(await row("billing").textContent()).toContain("Credit balance is too low");
    expect(await row("ready").count()).toBe(0);
    await page.getByRole("button", { name: /healthy agent/ }).click();
    await row("ready").waitFor();
  });

  it("keeps an agent with an unacknowledged crash on the list, and names the command for its output", async () => {
    await spawnFake(home, CRASHED, { steps: [{ do: "idle", ms: 500 }, { do: "crash" }] });
    await reaches(home, CRASHED, "gone*");
    await page.reload();
    await row(CRASHED).waitFor();
    await show(`#/agent/${CRASHED}`);
    await page.getByText(`rouse logs ${CRASHED}`).waitFor();
    const next = page.locator(".next", { hasText: "Next:" }).first();
    await until("its next step", async () => /^Next: [A-Z].*\.$/s.test(((await next.textContent()) ?? "").trim()));
    await show("#/fleet?all=1");
  });

  it("keeps no token in the address, and accepts a login link once", async () => {
    expect(page.url()).toBe(`http://127.0.0.1:${port}/#/fleet?all=1`);
    const link = await loginLink(home);
    const [first, second] = [await browser.another(), await browser.another()];
    const [early, late] = [await first.newPage(), await second.newPage()];
    await early.goto(link);
    await early.getByRole("navigation", { name: "Screens" }).waitFor();
    await late.goto(link);
    await late.getByText("This login link has expired or was already used. Run `rouse web` again.").waitFor();
    await first.context.close();
    await second.context.close();
  });

  it("answers an agent through the guarded order, and shows what became of it", async () => {
    await row("ready").getByRole("button", { name: "Actions for ready" }).click();
    await row("ready").getByLabel("Answer ready").fill("write the tests first");
    await row("ready").getByRole("button", { name: "Send" }).click();
    await until("the receipt", async () => (await receipt("ready").textContent())?.startsWith("✓ Typed") === true);
    const typed = receivedBy(home, "ready").map(({ text }) => text);
    expect(typed.join("")).toContain("write the tests first");
  });

  it("offers no way to approve a permission: it names the command that goes to the terminal", async () => {
    await row("asker").getByRole("button", { name: "Actions for asker" }).click();
    await row("asker").getByText("rouse go asker").waitFor();
    expect(await row("asker").getByRole("textbox").count()).toBe(0);
    // Not with the request itself either.
    const token = await page.evaluate(
      () => JSON.parse(sessionStorage.getItem("rouse-session") ?? "{}").token as string,
    );
    const answer = await fetch(`http://127.0.0.1:${port}/v1/agents/asker/input`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "1", timeout_secs: 1 }),
    });
    expect(answer.status).toBe(409);
  });

  it("silences, acknowledges, recovers and permits with a receipt for each", async () => {
    await page.keyboard.press("Escape");
    await row("billing").getByRole("button", { name: "Actions for billing" }).click();
    await row("billing").getByLabel("Silence billing").selectOption("for 2 h");
    await until(
      "the receipt of the silence",
      async () => (await receipt("billing").textContent()) === "✓ Silenced for 2 h.",
    );
    expect((await rouse(home, ["silence"])).stdout).toContain("billing");
    await row("billing").getByLabel("Auto-recovery of billing").selectOption("on for 8 h");
    await until(
      "the receipt of the permission",
      async () => (await receipt("billing").textContent()) === "✓ Auto-recovery is on for 8 h.",
    );
    await row("billing").getByRole("button", { name: "Recover" }).click();
    await row("billing").getByRole("group", { name: "Run the recovery plan of billing now?" }).waitFor();
    await row("billing").getByRole("button", { name: "Recover" }).click();
    await until("the result of the recovery", async () => {
      const text = await receipt("billing").textContent();
      return text !== null && !text.includes("Auto-recovery") && !text.endsWith("…");
    });
    await row("billing").getByRole("button", { name: "Acknowledge" }).click();
    await until(
      "the receipt of the acknowledgement",
      async () => (await receipt("billing").textContent())?.startsWith("✓ Acknowledged") === true,
    );
    expect((await rouse(home, ["incidents", "--json"])).stdout).toContain('"acked_at":"2');
  });

  it("shows why, the live terminal, the timeline and the screen of an earlier time", async () => {
    await show("#/agent/shell");
    await page.getByRole("heading", { name: "shell", level: 1 }).waitFor();
    await page.getByRole("columnheader", { name: "Source" }).waitFor();
    await typeInto(home, "shell", "an earlier line");
    await until(
      "the live terminal",
      async () => (await page.locator(".xterm-rows").textContent())?.includes("an earlier line") === true,
    );
    await page.waitForTimeout(1100);
    await typeInto(home, "shell", "a later line");
    await until(
      "new output",
      async () => (await page.locator(".xterm-rows").textContent())?.includes("a later line") === true,
    );
    await show(`#/agent/shell?t=${new Date(Date.now() - 1000).toISOString()}`);
    await until(
      "an earlier screen",
      async () => (await page.locator("pre.past").textContent())?.includes("an earlier line") === true,
    );
    await show("#/agent/shell?t=2020-01-01T00:00:00.000Z");
    await page.getByText("The screen of that time is no longer kept.").waitFor();
  });

  it("marks an incident as a false alarm", async () => {
    await show("#/agent/billing");
    // Its error is drawn in a colour of 24 bits.
    await until(
      "its live terminal",
      async () => (await page.locator(".xterm-rows").textContent())?.includes("Credit balance is too low") === true,
    );
    await page.getByRole("button", { name: "False alarm" }).first().click();
    await page.getByText("Marked as a false alarm. rouse will wait longer before it reports this.").waitFor();
    await show("#/incidents");
    await page.getByRole("button", { name: "1 false alarm" }).waitFor();
    expect((await rouse(home, ["incidents", "--all", "--json"])).stdout).toContain('"feedback":"false-alarm"');
  });

  it("shows text of agents as text, whatever it holds", async () => {
    await spawnFake(home, "evil", {
      steps: [{ do: "idle" }, { do: "ask", command: `${MARKUP}${EVIL}${"x".repeat(20_000)}` }],
    });
    await typeInto(home, "evil", `${MARKUP} javascript:alert(3)`);
    await reaches(home, "evil", "needs_input/permission");
    for (const view of [
      "#/fleet",
      "#/agent/evil",
      "#/agent/ready",
      "#/incidents",
      "#/night",
      `#/agent/${encodeURIComponent(MARKUP)}`,
    ]) {
      await show(view);
      await page.waitForTimeout(500);
      expect(await page.locator("img, script:not([src]), b[style], iframe, a[href^=javascript]").count(), view).toBe(0);
      const text = await page.locator("body").innerText();
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u001b]/);
    }
    expect(browser.problems).toEqual([]);
  });

  it("shows tasks with their steps, checkpoints and claims, and text from agents in them as text", async () => {
    const title = `Fix the parser ${MARKUP}`;
    const steps = ["--step", "Read the code", "--step", "Fix it", "--step", "Test it"];
    const added = await rouse(home, ["task", "add", title, ...steps, "--project", "app", "--json"]);
    const { id } = JSON.parse(added.stdout) as { id: number };
    await rouse(home, ["task", "claim", String(id), "--name", "shell"]);
    await rouse(home, ["checkpoint", String(id), `read ${MARKUP}`, "--step", "1", "--name", "shell"]);
    await rouse(home, ["task", "add", "Delete the old exporter", "--proposed"]);
    await show("#/work");
    // What the user has to decide comes first.
    await page.getByRole("link", { name: /Delete the old exporter/ }).waitFor();
    expect(await page.locator("article.task").first().textContent()).toContain("Delete the old exporter");
    const task = page.locator("article.task").filter({ hasText: "Fix the parser" });
    await until("the checkpoint in the list", async () => (await task.textContent())?.includes("1/3") === true);
    expect(await task.textContent()).toContain(title);
    await task.getByRole("link", { name: /Fix the parser/ }).click();
    await until("its checkpoints", async () => (await task.textContent())?.includes(`step 1: read ${MARKUP}`) === true);
    expect(await task.locator("ol").textContent()).toContain("✓ Read the code");
    expect(await task.textContent()).toMatch(/fence 1: shell@\S+ from .*held/);
    expect(await rouse(home, ["task", "release", String(id), "tried twice"])).toMatchObject({ status: 0 });
    await until("the end of the claim", async () => (await task.textContent())?.includes("revoked at") === true);
    await page.getByRole("button", { name: "1 proposed" }).click();
    await until("the filter", async () => (await task.count()) === 0);
    expect(page.url()).toContain("status=proposed");
    expect(await page.locator("img, script:not([src]), b[style]").count()).toBe(0);
  });

  it("draws a line of 1 MB as the terminal does, and stays usable", async () => {
    const line = `process.stdout.write("<b>x</b>\\u202e".repeat(110_000) + "\\nafter the long line\\n");setInterval(() => {}, 1e6)`;
    await rouse(home, ["spawn", "--name", "long", "--", process.execPath, "-e", line]);
    await show("#/agent/long");
    await until(
      "the end of its output",
      async () => (await page.locator(".xterm-rows").textContent())?.includes("after the long line") === true,
    );
    expect(await page.locator(".xterm-rows b, .xterm-rows a").count()).toBe(0);
    expect(await page.locator(".xterm-rows").textContent()).not.toContain("\u202e");
    await show("#/fleet");
    await row("asker").waitFor();
    expect(browser.problems).toEqual([]);
  });

  it("shows a terminal whose output asks for endless work, also the screen of an earlier time", async () => {
    const forms = ["L", "M", "S", "T", "I", "Z"].map((final) => `\\x1b[2147483647${final}`).join("");
    const output = `${forms}a\\x1b[536870912b\\x1b[2J\\x1b[Hafter the sequences\\n`;
    await rouse(home, [
      "spawn",
      "--name",
      "endless",
      "--",
      process.execPath,
      "-e",
      `setInterval(() => process.stdout.write("${output}"), 500)`,
    ]);
    await show("#/agent/endless");
    await until(
      "the end of its output",
      async () => (await page.locator(".xterm-rows").textContent())?.includes("after the sequences") === true,
      20_000,
    );
    const earlier = await callOperation(rousePaths(home.env).daemonSocket, "screen", {
      agent: "endless",
      at: new Date().toISOString(),
    });
    expect(earlier.lines.join("\n")).toContain("after the sequences");
    expect(browser.problems).toEqual([]);
  });

  it("is not shown inside the page of another server", async () => {
    const other = createServer((_, response) =>
      response.setHeader("content-type", "text/html").end(`<iframe src="http://127.0.0.1:${port}/"></iframe>`),
    );
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    // Chromium reports the refusal as an error of the page, which is the point here.
    const { context } = await browser.another();
    try {
      const framing = await context.newPage();
      const refused: string[] = [];
      framing.on("console", (message) => refused.push(message.text()));
      await framing.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
      await until("the refusal", () => refused.some((text) => text.includes("frame-ancestors")));
      expect(await framing.frames()[1]?.locator("#app").count()).toBe(0);
    } finally {
      await context.close();
      other.close();
    }
  });

  it.each(["#/fleet", "#/agent/asker", "#/incidents", "#/work", "#/night"])(
    "has no serious finding of axe in %s",
    async (view) => {
      await show(view);
      await page.waitForTimeout(800);
      // Not by a script element: the page's policy refuses one.
      await page.evaluate(readFileSync(AXE, "utf8"));
      const findings = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run();
        return violations.map(({ id, impact, nodes }) => ({
          id,
          impact,
          at: nodes.map(({ target }) => target.join(" ")).slice(0, 3),
        }));
      });
      expect(findings.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);
    },
  );

  it.each([320, 768, 1920])("fits a window of %i pixels", async (width) => {
    await page.setViewportSize({ width, height: 800 });
    for (const view of ["#/fleet", "#/agent/asker", "#/incidents", "#/work", "#/night"]) {
      await show(view);
      await page.waitForTimeout(300);
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(wide, view).toBeLessThanOrEqual(0);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll(".row .name")]
          .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 2)
          .map((one) => one.textContent),
      );
      expect(cut, "names that are cut").toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it("works by keyboard as top does", async () => {
    await show("#/fleet");
    await page.locator("body").click({ position: { x: 640, y: 780 } });
    await page.keyboard.press("n");
    await until("a selection", async () => (await page.locator(".item.open").count()) === 1);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(page.url()).toContain("#/agent/");
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Filter agents" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("asker");
    await until("the filter", async () => page.url().includes("q=asker"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
    await page.getByRole("heading", { name: "Incidents" }).waitFor();
    await show("#/fleet");
  });

  it("serves seven tabs over one stream, and a new tab is signed in by another one", async () => {
    const tabs: Page[] = [];
    for (let i = 0; i < 6; i++) {
      const tab = await browser.newPage();
      tabs.push(tab);
      await tab.goto(`http://127.0.0.1:${port}/#/agent/shell`);
      await tab.getByRole("heading", { name: "shell", level: 1 }).waitFor();
    }
    await typeInto(home, "shell", "seen by every tab");
    const last = tabs.at(-1) as Page;
    await until(
      "the last tab",
      async () => (await last.locator(".xterm-rows").textContent())?.includes("seen by every tab") === true,
    );
    const { stdout } = await rouse(home, ["token", "list", "--json"]);
    expect(JSON.parse(stdout).tokens.length).toBeLessThanOrEqual(3);
    // The first tab holds the stream: without it, another one takes over.
    await page.close();
    page = tabs.pop() as Page;
    await page.bringToFront();
    await typeInto(home, "shell", "seen after the first tab closed");
    await until(
      "the tab that took over",
      async () =>
        (await page.locator(".xterm-rows").textContent())?.includes("seen after the first tab closed") === true,
    );
    for (const tab of tabs) await tab.close();
  });

  it("recovers by itself when the daemon restarts", async () => {
    await show("#/fleet");
    await rouse(home, ["down"]);
    await page.getByText("no connection, trying again").waitFor();
    await rouse(home, ["up"]);
    await page.getByText("● live").waitFor();
    expect(await row("asker").textContent()).toContain("Do you want to proceed?");
  });

  it("does with a token of fewer rights only what these permit", async () => {
    const token = await makeToken(home, "reader", "read");
    const other = await browser.another();
    try {
      const reader = await other.newPage();
      await reader.goto(`http://127.0.0.1:${port}/`);
      await reader.getByLabel(/Or use a token/).fill(token);
      await reader.getByRole("button", { name: "Sign in" }).click();
      await reader.getByRole("button", { name: "Actions for asker" }).click();
      expect(await reader.getByRole("button", { name: "Recover" }).isDisabled()).toBe(true);
      await rouse(home, ["token", "revoke", "reader"]);
      await reader.keyboard.press("3");
      await reader.getByText("Your session has ended. Run `rouse web` again.").waitFor();
    } finally {
      await other.context.close();
    }
  });

  it("stops an agent after asking, and signs out", async () => {
    await show("#/fleet?all=1");
    await row("ready").getByRole("button", { name: "Actions for ready" }).click();
    await row("ready").getByRole("button", { name: "Stop" }).click();
    await row("ready").getByRole("button", { name: "Stop" }).click();
    await until("the receipt", async () => (await receipt("ready").textContent())?.includes("Stopped") === true);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out.").waitFor();
  });
});

interface Axe {
  run(): Promise<{ violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }>;
}
