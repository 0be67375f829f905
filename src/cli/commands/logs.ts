/** `rouse logs`: the recent output of an agent, as text. */
import type { Command } from "@commander-js/extra-typings";
import { rousePaths } from "../../config/paths.js";
import { RedactStream } from "../../core/text/redact-stream.js";
import { isPainting, paintScreen } from "../../readers/terminal/paint-screen.js";
import { BadInput } from "../../replay/files.js";
import { readSessionFile, sessionFile } from "../../terminal/registry.js";
import { bytesOf, HostClient, sessionNamed } from "../host-client.js";
import { OutputText } from "../text/output.js";

const LAST_OUTPUT_BYTES_MAX = 1024 * 1024;
const SCROLLBACK = 20_000;

export function addLogs(program: Command, _setExit: (code: number) => void): void {
  program
    .command("logs")
    .summary("Show recent output of an agent")
    .description(
      "Print the recent output of an agent that rouse started (up to 1 MiB; up to 256 KiB after it has ended) as plain\n" +
        "text, with secrets masked. For a full-screen program, print its screen and scrollback. --follow prints new text as\n" +
        "it arrives; for full-screen programs, use `rouse attach` instead.",
    )
    .argument("<agent>", "name of the agent")
    .option("-f, --follow", "print new output until the agent ends")
    .option("--raw", "print the original bytes, including escape sequences")
    .action(async (name, options) => {
      const session = await sessionNamed(name, "has no logs for it");
      const text = new OutputText(session.cols);
      const kept = new RedactStream();
      const write = (bytes: Buffer): void => {
        if (options.raw) process.stdout.write(bytes);
        else for (const piece of text.take(bytes)) process.stdout.write(kept.push(piece));
      };
      const whole: Buffer[] = [];
      let size: { cols: number; rows: number } = session;
      const isFollowing = options.follow === true;
      const show = isFollowing || options.raw ? write : (bytes: Buffer): void => void whole.push(bytes);
      if (session.isAlive && session.hostSocket !== null) {
        await follow({ ...session, hostSocket: session.hostSocket }, isFollowing, (bytes, now) => {
          size = now ?? size;
          show(bytes);
        });
      } else {
        show(lastOutput(session.id, session.name));
      }
      write(await asLines(Buffer.concat(whole), size));
      if (!options.raw) process.stdout.write(kept.push(text.end()) + kept.flush());
    });
}

/** Output of a full-screen program is rendered to the visible lines; other output is unchanged. */
async function asLines(bytes: Buffer, size: { cols: number; rows: number }): Promise<Buffer> {
  if (!isPainting(bytes)) return bytes;
  const lines = await paintScreen(bytes, size, SCROLLBACK);
  while (lines.at(-1)?.trim() === "") lines.pop();
  return Buffer.from(lines.map((line) => `${line.trimEnd()}\n`).join(""));
}

async function follow(
  session: Parameters<typeof HostClient.connect>[0],
  isFollowing: boolean,
  show: (bytes: Buffer, size: { cols: number; rows: number } | null) => void,
): Promise<void> {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const client = await HostClient.connect(
    session,
    (event) => {
      const { ev, cols, rows } = event;
      const size = typeof cols === "number" && typeof rows === "number" ? { cols, rows } : null;
      if (ev === "snapshot" || ev === "output") show(bytesOf(event), size);
    },
    () => end(),
  );
  client.send({ op: "logs", follow: isFollowing });
  await ended;
}

function lastOutput(session: string, name: string): Buffer {
  try {
    return readSessionFile(sessionFile(rousePaths(), session, "out"), LAST_OUTPUT_BYTES_MAX);
  } catch {
    throw new BadInput(`${name} ended, and its output was not kept`);
  }
}
