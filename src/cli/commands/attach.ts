/** `rouse attach`: shows a spawned agent and passes keys on; several terminals can attach at once. */
import type { Command } from "@commander-js/extra-typings";
import { sanitize } from "../../core/text/sanitize.js";
import { BadInput } from "../../replay/files.js";
import { TerminalModes } from "../../terminal/modes.js";
import { OuterTerminal } from "../../terminal/outer-terminal.js";
import { bytesOf, HostClient, livingSession } from "../host-client.js";
import { permit } from "../permit.js";

/** Ctrl-\: no agent program, tmux or screen uses it. The second form is the kitty keyboard's. */
const DETACH = [Buffer.from([0x1c]), Buffer.from("\u001b[92;5u")] as const;

export function addAttach(program: Command, setExit: (code: number) => void): void {
  program
    .command("attach")
    .summary("Open an agent's terminal; detach with Ctrl-\\")
    .description(
      "Show a running agent in this terminal and pass your keys to it. Ctrl-\\ detaches; the agent keeps running.",
    )
    .argument("<agent>", "name of the agent")
    .action(async (name) => {
      if (!process.stdin.isTTY || !process.stdout.isTTY)
        throw new BadInput(
          `attach needs a terminal; to read the output, run \`rouse logs --follow ${sanitize(name, 80)}\``,
        );
      setExit(await attach(name));
    });
}

export async function attach(name: string): Promise<number> {
  const session = await livingSession(name, "cannot attach to it");
  // Its own output would be fed back into it without end, and keys of another agent are for its user.
  const { finish } = await permit("local_attach", { agent: session.id });
  const terminal = new OuterTerminal();
  const modes = new TerminalModes();
  const { stdin, stdout } = process;
  let farewell = `[detached from ${session.name}]`;
  let code = 0;
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const show = (event: Record<string, unknown>): void => {
    if (event.ev === "snapshot" || event.ev === "output") {
      const bytes = bytesOf(event);
      modes.take(bytes);
      stdout.write(bytes);
    } else if (event.ev === "exit") {
      farewell = `[${session.name} ended]`;
      end();
    } else if (event.ev === "error") {
      farewell = "[the agent's terminal refused the connection]";
      code = 1;
      end();
    }
  };
  const client = await HostClient.connect(session, show, () => end());
  const keys = (bytes: Buffer): void => {
    const cut = Math.min(...DETACH.map((key) => bytes.indexOf(key)).filter((at) => at >= 0));
    const typed = Number.isFinite(cut) ? bytes.subarray(0, cut) : bytes;
    if (typed.length > 0) client.send({ op: "input", data: typed.toString("base64") });
    if (Number.isFinite(cut)) end();
  };
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const) process.once(signal, end);
  stdout.on("resize", () => client.send({ op: "resize", ...terminal.size() }));
  stdin.on("data", keys);
  stdin.on("end", end);
  // Written before the agent's own screen, which then replaces it.
  stdout.write(`[attached to ${session.name}; detach with Ctrl-\\]\r\n`);
  terminal.enter();
  client.send({ op: "attach", ...terminal.size() });
  await ended;
  await finish(code === 0 ? "done" : "failed");
  client.close();
  // Kitty keyboard and modified keys are not tracked as modes: reset them always.
  stdout.write(`${modes.undo()}\u001b[<u\u001b[>4;0m\u001b[0m\r\n${farewell}\r\n`);
  terminal.close();
  return code;
}
