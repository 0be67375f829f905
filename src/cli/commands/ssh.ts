/** `rouse ssh`: rouse on a machine that has Node.js and an ssh server, and nothing else. */
import type { Command } from "@commander-js/extra-typings";
import { shellWord } from "../../core/text/shell-word.js";
import { checkHost, checkNodePath, type SshTarget } from "../../fleet/ssh/command.js";
import { keepRelay } from "../../fleet/ssh/node.js";
import { installRemote, startRemote } from "../../fleet/ssh/remote.js";
import { SshError } from "../../fleet/ssh/ssh-error.js";
import { BadInput } from "../../replay/bad-input.js";
import { permitted } from "../permit.js";
import { loadSettings } from "../settings.js";

export const NODE_PROGRAM = "program of Node.js there, if it is not in the PATH of a command by ssh";

export function addSsh(program: Command, setExit: (code: number) => void): void {
  program.enablePositionalOptions();
  program
    .command("ssh")
    .passThroughOptions()
    .summary("Run a rouse command on another machine by ssh")
    .description(
      "Run a rouse command on another machine, which needs Node.js 20.19 and an ssh server. The first call copies this rouse\n" +
        "there, once per version. Agents and the daemon there outlive the connection. No port is opened. The host key has to be\n" +
        "known and the login has to work without a question; everything else about ssh is in your configuration of ssh.",
    )
    .argument("<host>", "HOST, USER@HOST, or a name from your configuration of ssh")
    .argument("[command...]", "the rouse command and its arguments, after --")
    .option("--relay", "connect that machine to the hub of this one until Ctrl-C (see rouse fleet join --ssh)")
    .option("--cd <folder>", "run it in this folder there (default: the home folder)")
    .option("--node <path>", NODE_PROGRAM, "node")
    .addHelpText(
      "after",
      '\nExamples:\n  rouse ssh lab-3 -- spawn -- claude\n  rouse ssh --cd project lab-3 -- spawn --prompt "fix the failing test" -- codex\n  rouse ssh lab-3 -- status\n  rouse ssh lab-3 -- attach claude\n',
    )
    .action(async (host, given, { cd, node, relay = false }, self) => {
      const command = given[0] === "--" ? given.slice(1) : given;
      if (relay !== (command.length === 0))
        self.error(
          relay
            ? "error: --relay takes no command"
            : "error: name a command, such as `rouse ssh HOST -- status`, or --relay",
          { exitCode: 2 },
        );
      const objection = checkHost(host) ?? checkNodePath(node);
      if (objection !== null) self.error(`error: ${objection}`, { exitCode: 2 });
      const target = { host, node };
      const text = `ssh ${shellWord(host)}: ${relay ? "relay" : shellWord(command[0] ?? "")}`;
      const run = relay ? relayThere : (to: SshTarget) => runThere(to, command, cd ?? null);
      setExit(await permitted("local_fleet", { text }, [], () => orBadSsh(run(target))));
    });
}

/** The message is for users. */
export async function orBadSsh<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof SshError ? new BadInput(error.message) : error;
  }
}

/** The exit code of the command there. */
async function runThere(target: SshTarget, args: readonly string[], cwd: string | null): Promise<number> {
  const { folder } = await installNoted(target);
  const terminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const child = startRemote(target, { folder, script: "bin/rouse", args, cwd }, { terminal, stdio: "inherit" });
  // Ctrl-C goes to ssh too, which passes it on.
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  const status = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
  process.off("SIGINT", ignore);
  if (status === SSH_FAILED) throw new SshError(`the connection to ${target.host} was lost; agents there keep running`);
  return status;
}

const SSH_FAILED = 255;

async function relayThere(target: SshTarget): Promise<number> {
  const { url } = loadSettings().hub;
  if (url === "") throw new SshError("this machine is in no fleet: join one with `rouse fleet join`");
  // Says now what is wrong; later failures are tried again.
  await installNoted(target);
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ending.abort());
  const log = (line: string): void => void process.stderr.write(`rouse: ${line}\n`);
  await keepRelay({ target, url, log }, ending.signal);
  return 0;
}

/** Says that it copies: that takes seconds. */
export const installNoted = (target: SshTarget): ReturnType<typeof installRemote> =>
  installRemote(target, {
    copying: (megabytes) =>
      process.stderr.write(`rouse: copying rouse to ${shellWord(target.host)} (${megabytes} MB)\n`),
  });
