/** `rouse logs`: what an agent wrote last, as text. */
import type { Command } from "@commander-js/extra-typings";
import { rousePaths } from "../config/paths.js";
import { readOwnFile, sessionFile } from "../host/registry.js";
import { BadInput } from "../replay/files.js";
import { bytesOf, HostClient, sessionNamed } from "./host-client.js";
import { OutputText } from "./output-text.js";

const LAST_OUTPUT_BYTES_MAX = 1024 * 1024;

export function addLogs(program: Command, _setExit: (code: number) => void): void {
  program
    .command("logs")
    .summary("what an agent wrote last")
    .description(
      "Prints the last output of an agent that was started by rouse (up to 1 MiB; up to 256 KiB after its end) as plain\n" +
        "text. Programs that paint a whole screen are better looked at with: rouse attach",
    )
    .argument("<name>", "the agent")
    .option("-f, --follow", "go on until it ends")
    .option("--raw", "the bytes as they were, escape sequences included")
    .action(async (name, options) => {
      const session = await sessionNamed(name);
      const text = new OutputText();
      const show = (bytes: Buffer): void => {
        process.stdout.write(options.raw ? bytes : text.take(bytes));
      };
      if (session.isAlive && session.hostSocket !== null) {
        await follow({ ...session, hostSocket: session.hostSocket }, options.follow === true, show);
      } else {
        show(lastOutput(session.session, session.name));
      }
      if (!options.raw) process.stdout.write(text.end());
    });
}

async function follow(
  session: Parameters<typeof HostClient.connect>[0],
  isFollowing: boolean,
  show: (bytes: Buffer) => void,
): Promise<void> {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const client = await HostClient.connect(
    session,
    (event) => {
      if (event.ev === "snapshot" || event.ev === "output") show(bytesOf(event));
    },
    () => end(),
  );
  client.send({ op: "logs", follow: isFollowing });
  await ended;
}

function lastOutput(session: string, name: string): Buffer {
  try {
    return readOwnFile(sessionFile(rousePaths(), session, "out"), LAST_OUTPUT_BYTES_MAX);
  } catch {
    throw new BadInput(`${name} ended, and nothing was kept of its output`);
  }
}
