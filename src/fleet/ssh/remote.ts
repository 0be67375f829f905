/** Finds out what is over there, and copies this rouse there once per version. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import * as z from "zod";
import { sanitize } from "../../core/text/sanitize.js";
import { type Archive, type Platform, packArchive } from "./archive.js";
import { checkNodePath, failureText, type SshTarget, sshArguments } from "./command.js";
import { type RemoteOrder, remoteCommand } from "./remote-code.js";
import { SshError } from "./ssh-error.js";

/** More than this is not read: login scripts may print anything. */
const OUTPUT_MAX = 64 * 1024;
const PROBE_MS = 60_000;
/** A slow line takes minutes for the archive. */
const INSTALL_MS = 30 * 60_000;

const PROBED = z.object({
  node: z.string().max(40),
  platform: z.string().regex(/^[a-z0-9]{1,20}$/),
  arch: z.string().regex(/^[a-z0-9]{1,20}$/),
  installed: z.boolean(),
});
const INSTALLED = z.union([z.object({ installed: z.literal(true) }), z.object({ error: z.string() })]);

export interface InstalledRemote {
  /** Name of its folder there. */
  folder: string;
  version: string;
  /** It was copied now. */
  isNew: boolean;
}

export interface InstallOptions {
  pack?: (platform: Platform) => Archive;
  /** Before the copy, which takes a while. */
  copying?: (megabytes: number) => void;
  signal?: AbortSignal;
}

/** The archive of the last platform: a link that reconnects asks for it often. */
let packed: { native: string; archive: Archive } | null = null;

/** Throws `SshError`. What is found there afterwards is complete or absent. */
export async function installRemote(target: SshTarget, options: InstallOptions = {}): Promise<InstalledRemote> {
  const { copying = () => {}, signal } = options;
  // Most machines are like this one: then a single call tells all.
  const guess = options.pack ? null : archiveFor(process);
  const first = await probe(target, guess?.folder ?? null, signal);
  const isGuessed = guess !== null && first.platform === process.platform && first.arch === process.arch;
  const archive = isGuessed ? guess : (options.pack ?? archiveFor)(first);
  const { folder, version } = archive;
  const isThere = isGuessed ? first.installed : (await probe(target, folder, signal)).installed;
  if (isThere) return { folder, version, isNew: false };
  const input = await promisify(gzip)(archive.bytes);
  copying(Math.ceil(input.length / 1e6));
  const { digest, bytes } = archive;
  const order = { mode: "install", folder, digest, bytes: bytes.length, packed: input.length } as const;
  const answer = parseAnswer(target, INSTALLED, await ask(target, order, { input, timeoutMs: INSTALL_MS, signal }));
  if ("error" in answer)
    throw new SshError(
      `rouse was not installed on ${sanitize(target.host, 100)}: ${sanitize(answer.error, 400)}; nothing was left there`,
    );
  return { folder, version, isNew: true };
}

function archiveFor({ platform, arch }: Platform): Archive {
  const native = `${platform}-${arch}`;
  if (packed?.native !== native) packed = { native, archive: packArchive({ platform, arch }) };
  return packed.archive;
}

const probe = async (target: SshTarget, folder: string | null, signal: AbortSignal | undefined) =>
  parseAnswer(target, PROBED, await ask(target, { mode: "probe", folder }, { timeoutMs: PROBE_MS, signal }));

/** ssh for a command that runs there: with the streams that `spawn` of Node.js takes. */
export function startRemote(
  target: SshTarget,
  order: Omit<Extract<RemoteOrder, { mode: "run" }>, "mode" | "mark">,
  { terminal, stdio }: { terminal: boolean; stdio: "inherit" | "pipe" },
): ChildProcess {
  const command = remoteCommand(target.node, { mode: "run", mark: "", ...order });
  return spawn("ssh", sshArguments(target, command, { terminal }), { stdio });
}

/** Whatever program answered there: only what has the shape is taken. */
export function parseAnswer<T>({ host }: SshTarget, shape: z.ZodType<T>, text: string): T {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw new SshError(`${sanitize(host, 100)} sent an answer that is not readable`);
  }
}

type OrderWithoutMark = RemoteOrder extends infer One ? (One extends unknown ? Omit<One, "mark"> : never) : never;

interface AskOptions {
  input?: Buffer;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** The text behind the mark. */
function ask(target: SshTarget, order: OrderWithoutMark, { input, timeoutMs, signal }: AskOptions): Promise<string> {
  const objection = checkNodePath(target.node);
  if (objection !== null) throw new SshError(objection);
  const mark = `rouse-${randomBytes(12).toString("hex")} `;
  const command = remoteCommand(target.node, { ...order, mark } as RemoteOrder);
  const args = sshArguments(target, command, { terminal: false });
  return new Promise((resolve, reject) => {
    const child = spawn("ssh", args, { stdio: ["pipe", "pipe", "pipe"], timeout: timeoutMs, signal });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => {
      if (stdout.length < OUTPUT_MAX) stdout += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString("utf8")).slice(-OUTPUT_MAX);
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", (error: NodeJS.ErrnoException) =>
      reject(new SshError(error.code === "ENOENT" ? "no ssh on this machine: install an ssh client" : error.message)),
    );
    child.on("close", (status) => {
      const begin = stdout.indexOf(mark);
      const line = begin < 0 ? null : (stdout.slice(begin + mark.length).split("\n", 1)[0] ?? "");
      if (line !== null) resolve(line);
      else reject(new SshError(failureText(target, { status, stdout, stderr })));
    });
  });
}
