/**
 * The command line of ssh, and what its failures mean. Identity, port, host keys, jumps and shared connections are the user's own
 * settings of ssh; rouse never answers a question of it.
 */
import { sanitize } from "../../core/text/sanitize.js";
import { OLD_NODE } from "./remote-code.js";
import { SshError } from "./ssh-error.js";

export interface SshTarget {
  /** As ssh takes it: an alias of the user's configuration, HOST or USER@HOST. */
  host: string;
  /** The program Node.js over there. */
  node: string;
}

const HOST_MAX = 255;
/** Linux takes 128 KiB for one argument; the code takes 8 of them, and base64 a third of the rest. */
const COMMAND_MAX = 120_000;

const OPTIONS = [
  "BatchMode=yes",
  "ForwardAgent=no",
  "ForwardX11=no",
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no",
  "RemoteCommand=none",
  "ConnectTimeout=15",
  // A connection that only swallows packets ends after 15 s.
  "ServerAliveInterval=5",
  "ServerAliveCountMax=3",
].flatMap((option) => ["-o", option]);

/** Null: ssh takes it for a host. */
export function checkHost(host: string): string | null {
  if (host.startsWith("-")) return "a host must not begin with -";
  if (host.length > HOST_MAX || !/^[^\s\p{C}]+$/u.test(host)) return "a host is one word without control characters";
  return null;
}

/** It becomes a word of the command there: only characters that no shell changes. Null: it is one. */
export const checkNodePath = (node: string): string | null =>
  /^[A-Za-z0-9/][A-Za-z0-9._/+-]{0,254}$/.test(node)
    ? null
    : "the program of Node.js is a name or path of letters, digits and . _ / + -";

export function sshArguments({ host }: SshTarget, command: string, { terminal }: { terminal: boolean }): string[] {
  const objection = checkHost(host);
  if (objection !== null) throw new SshError(objection);
  if (command.length > COMMAND_MAX) throw new SshError("the command is too long for ssh (about 80 kB)");
  return [...OPTIONS, "-e", "none", terminal ? "-tt" : "-T", "--", host, command];
}

/** How ssh ended without an answer from over there. */
export interface SshFailure {
  status: number | null;
  stdout: string;
  /** The end of it. */
  stderr: string;
}

/** One sentence for the user. What the other side printed is quoted, in bounds. */
export function failureText({ host, node }: SshTarget, { status, stdout, stderr }: SshFailure): string {
  const name = sanitize(host, 100);
  const old = new RegExp(`^${OLD_NODE} (\\S{1,40})$`, "m").exec(stdout);
  if (old) return `Node.js ${old[1]} on ${name} is too old: rouse needs 20.19 or newer there`;
  if (status === 255) return connectionText(name, stderr);
  if (status === 127 || /not found|unknown command/i.test(stderr))
    return `no Node.js on ${name}: ${node} was not found. Install Node.js 20.19 or newer there, or name it with --node PATH`;
  return `${name} did not run the command (exit ${status ?? "by a signal"}): ${lastLine(stderr || stdout) || "no output"}`;
}

const CAUSES: readonly (readonly [RegExp, (name: string) => string])[] = [
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED/,
    (name) =>
      `the host key of ${name} has changed; the connection may be intercepted. Check the key, then remove the old one with \`ssh-keygen -R\``,
  ],
  [
    /Host key verification failed/,
    (name) => `the host key of ${name} is not known: connect once with \`ssh ${name}\` and check its fingerprint`,
  ],
  [
    /Permission denied|Too many authentication failures/,
    (name) =>
      `${name} refused the login: \`ssh ${name}\` has to work without a question (use a key, and ssh-agent for its passphrase)`,
  ],
];

function connectionText(name: string, stderr: string): string {
  const cause = CAUSES.find(([pattern]) => pattern.test(stderr))?.[1];
  return cause ? cause(name) : `cannot reach ${name} by ssh: ${lastLine(stderr) || "the connection was lost"}`;
}

const lastLine = (text: string): string =>
  sanitize(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .at(-1) ?? "",
    200,
  );
