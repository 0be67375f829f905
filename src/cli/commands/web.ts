/** `rouse web`: opens the dashboard in a browser, signed in. */
import { type ExecFileException, execFile } from "node:child_process";
import type { Command } from "@commander-js/extra-typings";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { RIGHTS } from "../../daemon/http/tokens.js";
import { findProgram } from "../../terminal/find-program.js";
import { call } from "../client.js";
import { ensureDaemon } from "../ensure-daemon.js";
import { closedPort } from "../port.js";
import { collectRights } from "../rights.js";
import { loadSettings } from "../settings.js";

const OPEN_MS = 5000;
const TIMEOUT_MS = 2000;

export function addWeb(program: Command, setExit: (code: number) => void): void {
  program
    .command("web")
    .summary("Open the dashboard in a browser")
    .description(
      "Open the dashboard, which the daemon serves on its port, in a browser that is signed in. The login link works once and\n" +
        "expires in a minute; the session ends after 7 days, with the tab, or with `rouse token revoke`. Without a browser, the\n" +
        "link is printed.",
    )
    .option("--print", "print the link instead of opening a browser")
    .option("--right <right...>", `rights of the session: ${RIGHTS.join(", ")} (default: all)`, collectRights)
    .option("--json", "print the link as JSON and open no browser")
    .action(async ({ print, right, json }) => {
      loadSettings();
      await ensureDaemon();
      // A daemon that has just started opens its port a moment later.
      await closedPort(async () => (await call("daemon", {}, TIMEOUT_MS).catch(() => null))?.http ?? null);
      const login = await call("web_login", { rights: right ?? [...RIGHTS] });
      if (json) {
        process.stdout.write(`${sanitizedJson(login)}\n`);
        return;
      }
      const opener = print ? null : browserOpener();
      const failure = opener === null ? null : await open(opener, login.url);
      if (opener !== null && failure === null) {
        process.stdout.write("Opened the dashboard in your browser.\n");
        return;
      }
      if (!print) process.stderr.write(`rouse: ${failure ?? noBrowserText()}; open this link yourself\n`);
      process.stdout.write(`${login.url}\n`);
      const { host, port } = new URL(login.url);
      process.stderr.write(
        `The link works once, within a minute. From another machine, forward the port first: ssh -L ${port}:${host} HOST\n`,
      );
      setExit(0);
    });
}

/** The program that opens a link; null without a graphical session. */
function browserOpener(env: NodeJS.ProcessEnv = process.env): string | null {
  const isFound = (name: string): boolean => findProgram(name, env, process.cwd()) === "found";
  if (env.BROWSER) return isFound(env.BROWSER) ? env.BROWSER : null;
  if (process.platform === "darwin") return "open";
  if (isFound("wslview")) return "wslview";
  return (env.DISPLAY || env.WAYLAND_DISPLAY) && isFound("xdg-open") ? "xdg-open" : null;
}

const noBrowserText = ({ BROWSER }: NodeJS.ProcessEnv = process.env): string =>
  BROWSER ? `no program called ${JSON.stringify(sanitize(BROWSER, 80))} (the variable BROWSER)` : "no browser found";

const failureText = ({ code, signal, message }: ExecFileException): string =>
  typeof code === "number" ? `exit code ${code}` : (code ?? signal ?? message);

/** Null if it was opened; a browser that keeps running counts as open. */
function open(program: string, url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = execFile(program, [url], { timeout: 0 }, (error) =>
      resolve(error ? `${program} failed (${failureText(error)})` : null),
    );
    setTimeout(() => {
      child.unref();
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(null);
    }, OPEN_MS).unref();
  });
}
