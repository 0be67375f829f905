/** The six agents of the demo, from their start to their end, on the fleet screen of a real browser. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOperation } from "../../src/api/remote.js";
import { CAST } from "../../src/demo/cast.js";
import { Story } from "../../src/demo/story.js";
import type { Theatre } from "../../src/demo/theatre.js";
import { freePort, isMissing } from "../support/component.js";
import { until } from "../support/hosts.js";
import { chromiumPath, openBrowser, type Page, type TestBrowser } from "./browser.js";

const TIMES = 8;
/** The demo takes one minute; a busy machine needs longer. */
const LIMIT_MS = 300_000;
/** For an event to reach the page. */
const SHOWN_MS = 15_000;
/** About a second: a look at both sides takes up to 50 ms. */
const LASTING_CHECKS = 20;
const NAMES = CAST.map(({ name }) => name);

let theatre: Theatre;
let browser: TestBrowser;
let page: Page;

/** What each row says; an agent without a row has not been started. */
const shown = (): Promise<Record<string, string>> =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll("article.row")].map((row) => [
        row.getAttribute("aria-label") ?? "",
        row.querySelector(".badge")?.textContent?.slice(1) ?? "",
      ]),
    ),
  );

const said = (state: string, cause: string | null): string =>
  [state, cause]
    .filter((word) => word !== null)
    .join(" · ")
    .replaceAll("_", " ");

describe.skipIf(isMissing("Chromium", chromiumPath))("the six agents of the demo", { timeout: LIMIT_MS }, () => {
  beforeAll(async () => {
    // Built, because it starts programs that are beside it.
    const built = new URL("../../dist/demo/theatre.js", import.meta.url);
    const { Theatre } = (await import(built.href)) as typeof import("../../src/demo/theatre.js");
    theatre = Theatre.open(TIMES, await freePort());
    const { daemonSocket } = theatre.paths;
    await until("the daemon of the demo", async () => (await theatre.check()) !== null, 60_000);
    const { url } = await callOperation(daemonSocket, "web_login", { rights: ["read", "control", "admin"] });
    browser = await openBrowser();
    page = await browser.newPage();
    await page.goto(url);
    await page.getByRole("navigation", { name: "Screens" }).waitFor();
    await page.evaluate(() => {
      location.hash = "#/fleet?all=1";
    });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await theatre?.close();
  });

  it("are on screen from start to end: each lasting verdict of the daemon appears", async () => {
    const story = new Story();
    /** How often each was found. */
    const judged = new Map(NAMES.map((name) => [name, new Map<string, number>()]));
    const seen = new Map(NAMES.map((name) => [name, new Set<string>()]));
    let quoted = "";
    const check = async (): Promise<boolean> => {
      const now = await theatre.check();
      if (!now) return false;
      story.take(now, 0);
      for (const { name, state, cause } of now.agents) {
        const times = judged.get(name);
        times?.set(said(state, cause), 1 + (times.get(said(state, cause)) ?? 0));
      }
      for (const [name, text] of Object.entries(await shown())) seen.get(name)?.add(text);
      quoted ||= await page
        .getByRole("article", { name: "permission", exact: true })
        .locator(".quote")
        .textContent({ timeout: 1 })
        .then(
          (text) => text ?? "",
          () => "",
        );
      return story.isOver;
    };
    await until("the end of the story", check, LIMIT_MS - 60_000);
    expect(theatre.failure).toBeNull();
    const last = await theatre.check();
    await until(
      "the last verdicts on the page",
      async () => {
        const rows = await shown();
        return NAMES.every((name) => {
          const agent = last?.agents.filter((one) => one.name === name).at(-1);
          return agent === undefined || rows[name] === undefined || rows[name] === said(agent.state, agent.cause);
        });
      },
      SHOWN_MS,
    );
    for (const name of NAMES) {
      const verdicts = [...(seen.get(name) ?? [])];
      expect(verdicts.length, name).toBeGreaterThan(1);
      // One that lasts for less than a few checks may fall between two looks at the page.
      const lasting = [...(judged.get(name) ?? [])].flatMap(([text, times]) => (times >= LASTING_CHECKS ? [text] : []));
      expect(verdicts, name).toEqual(expect.arrayContaining(lasting));
    }
    expect([...(seen.get("healthy") ?? [])].filter((text) => /^(?:stuck|error|gone|needs)/.test(text))).toEqual([]);
    expect(quoted).toContain("git push --force");
  });

  it("leave an incident each that ended as the daemon says, except for the healthy one", async () => {
    const { incidents } = (await theatre.check()) ?? { incidents: [] };
    await page.evaluate(() => {
      location.hash = "#/incidents";
    });
    await page.getByRole("heading", { name: "Incidents" }).waitFor();
    const text = (): Promise<string> => page.locator("main").innerText();
    for (const name of new Set(incidents.map(({ agent }) => agent)))
      await until(`the incident of ${name}`, async () => (await text()).includes(name), SHOWN_MS);
    expect(await text()).not.toContain("healthy");
    expect(browser.problems).toEqual([]);
  });
});
