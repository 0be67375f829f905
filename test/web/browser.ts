/** Debian's Chromium, driven through playwright-core, and a daemon with scripted agents whose dashboard it shows. */
import { existsSync } from "node:fs";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { type Home, rouse } from "../support/hosts.js";

const CHROMIUM = "/usr/bin/chromium";
export const chromiumPath: string | null = existsSync(CHROMIUM) ? CHROMIUM : null;

/** It must not contact another machine. */
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const LAUNCH_MS = 60_000;

/** One user of the browser: tabs that share storage. */
export interface BrowserUser {
  context: BrowserContext;
  newPage(): Promise<Page>;
}

export interface TestBrowser extends BrowserUser {
  /** Errors of pages, and reports of a violated policy. */
  problems: string[];
  /** A user without the storage of the first. */
  another(): Promise<BrowserUser>;
  close(): Promise<void>;
}

export async function openBrowser(viewport = { width: 1280, height: 800 }): Promise<TestBrowser> {
  // Its profile is an empty temporary folder.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, timeout: LAUNCH_MS });
  const problems: string[] = [];
  const another = async (): Promise<BrowserUser> => {
    const context = await browser.newContext({ viewport });
    return { context, newPage: () => watchedPage(context, problems) };
  };
  return { ...(await another()), problems, another, close: () => browser.close() };
}

async function watchedPage(context: BrowserContext, problems: string[]): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", ({ violatedDirective, target }) =>
      console.error(violatedDirective, target instanceof Element ? target.outerHTML.slice(0, 300) : ""),
    );
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const text = message.text();
    // A failed request is shown by the page itself, and tested.
    if (message.type() === "error" && !text.startsWith("Failed to load resource")) problems.push(`console: ${text}`);
  });
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return page;
}

export type { Page };

/** A one-time login link. */
export async function loginLink(home: Home, rights: readonly string[] = []): Promise<string> {
  const given = rights.length > 0 ? ["--right", rights.join(",")] : [];
  const { status, stdout, stderr } = await rouse(home, ["web", "--json", ...given]);
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { url: string }).url;
}

/** Opens the dashboard signed in, at a view such as `#/agent/web`. */
export async function openDashboard(home: Home, browser: BrowserUser, view = "#/fleet"): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(await loginLink(home));
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
  if (view !== "#/fleet") await page.evaluate((hash) => (location.hash = hash), view);
  return page;
}
