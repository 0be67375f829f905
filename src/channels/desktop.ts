/** A desktop notification by the system's own program. Its body may be read as markup, so it is escaped. */
import type { Notice, Severity } from "../core/notices/alert.js";
import type { Channel } from "./channel.js";
import { runProgram } from "./program.js";
import { bodyOf, clipText, clipWithoutLinks } from "./text.js";

const BODY_MAX = 600;
const URGENCY: Readonly<Record<Severity, string>> = { info: "low", warning: "normal", critical: "critical" };

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** macOS: the texts are arguments of the script, never part of it. */
const SCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";

export function desktopCommand(notice: Notice, platform: NodeJS.Platform): string[] {
  const title = clipWithoutLinks(notice.title, (text) => clipText(text, 120));
  const body = clipWithoutLinks(bodyOf(notice), (text) => clipText(text, BODY_MAX));
  if (platform === "darwin") return ["osascript", "-e", SCRIPT, "--", title, body];
  return ["notify-send", "--app-name=rouse", `--urgency=${URGENCY[notice.severity]}`, "--", title, escaped(body)];
}

export const desktopChannel = (name: string, platform: NodeJS.Platform = process.platform): Channel => ({
  name,
  type: "desktop",
  to: "this desktop",
  paceMs: 500,
  send: (notice, signal) => runProgram(desktopCommand(notice, platform), "", {}, signal),
});
