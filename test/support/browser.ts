/** Debian's Chromium, driven through playwright-core, and a daemon with scripted agents whose dashboard it shows. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { type Home, rouse } from "./hosts.js";

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

export interface TestBrowser {
  context: BrowserContext;
  /** Errors of pages, and reports of a violated policy. */
  problems: string[];
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

export async function openBrowser(viewport = { width: 1280, height: 800 }): Promise<TestBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "rouse-chromium-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM,
    headless: true,
    args: ARGUMENTS,
    timeout: LAUNCH_MS,
    viewport,
  });
  const problems: string[] = [];
  const newPage = async (): Promise<Page> => {
    const page = await context.newPage();
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
  };
  return {
    context,
    problems,
    newPage,
    close: async () => {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type { Browser, Page };

/** A one-time login link. */
export async function loginLink(home: Home, rights: readonly string[] = []): Promise<string> {
  const given = rights.length > 0 ? ["--right", rights.join(",")] : [];
  const { status, stdout, stderr } = await rouse(home, ["web", "--json", ...given]);
  if (status !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { url: string }).url;
}

/** Opens the dashboard signed in, at a view such as `#/agent/web`. */
export async function openDashboard(home: Home, browser: TestBrowser, view = "#/fleet"): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(await loginLink(home));
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
  if (view !== "#/fleet") await page.evaluate((hash) => (location.hash = hash), view);
  return page;
}
