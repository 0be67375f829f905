/**
 * What runs over there before rouse does. ssh gives its command to the login shell of that user, whichever that is: the command
 * is constant apart from base64url text, which no shell changes, and has neither a quote, a backslash nor an exclamation mark
 * within its single quotes.
 */

/** Orders for the code over there. `mark` begins the line of its answer: login scripts may print other lines. */
export type RemoteOrder =
  | { mode: "probe"; mark: string; folder: string | null }
  | { mode: "install"; mark: string; folder: string; digest: string; bytes: number; packed: number }
  | { mode: "run"; mark: string; folder: string; script: string; args: readonly string[]; cwd: string | null };

/** The first word of the answer if Node.js is too old to read anything newer. */
export const OLD_NODE = "rouse-old-node";

const START = `var v=process.versions.node.split(".").map(Number);if(v[0]<20||(v[0]===20&&v[1]<19)){console.log("${OLD_NODE} "+process.version)}else{eval(Buffer.from(process.argv[1],"base64").toString())}`;

/** The command for the login shell. `node`: the program, checked by `checkNodePath`. */
export function remoteCommand(node: string, order: RemoteOrder): string {
  const code = `(${remoteMain.toString()})(require,${JSON.stringify(order)})`;
  return `exec ${node} -e '${START}' ${Buffer.from(code).toString("base64url")}`;
}

/**
 * Sent as text: it uses nothing of this module. Files are kept in `$XDG_DATA_HOME/rouse/versions`, since daemons and hosts of
 * agents run from there: a cache may be emptied under them.
 */
function remoteMain(require: NodeJS.Require, order: RemoteOrder): void {
  const fs = require("node:fs") as typeof import("node:fs");
  const path = require("node:path") as typeof import("node:path");
  const os = require("node:os") as typeof import("node:os");
  const { spawn, spawnSync } = require("node:child_process") as typeof import("node:child_process");
  const answer = (value: object): void => {
    fs.writeSync(1, `\n${order.mark}${JSON.stringify(value)}\n`);
  };
  const given = process.env.XDG_DATA_HOME ?? "";
  const data = path.isAbsolute(given) ? given : path.join(process.env.HOME || os.homedir(), ".local", "share");
  const versions = path.join(data, "rouse", "versions");
  const INDEX = ".index.json";
  type Index = [path: string, executable: number, size: number][];
  const isComplete = (folder: string): boolean => {
    try {
      const index = JSON.parse(fs.readFileSync(path.join(folder, INDEX), "utf8")) as Index;
      return index.every(([name, , size]) => fs.statSync(path.join(folder, name)).size === size);
    } catch {
      return false;
    }
  };
  const install = (packed: Buffer): void => {
    if (order.mode !== "install") return;
    const { gunzipSync } = require("node:zlib") as typeof import("node:zlib");
    const { createHash } = require("node:crypto") as typeof import("node:crypto");
    const target = path.join(versions, order.folder);
    const staging = path.join(versions, `.${order.folder}.${process.pid}.${Date.now()}`);
    try {
      if (packed.length !== order.packed) throw new Error(`received ${packed.length} of ${order.packed} bytes`);
      const bytes = gunzipSync(packed, { maxOutputLength: order.bytes });
      if (createHash("sha256").update(bytes).digest("hex") !== order.digest)
        throw new Error("the digest is another one");
      fs.mkdirSync(staging, { recursive: true, mode: 0o700 });
      // Left by installations that were killed.
      for (const name of fs.readdirSync(versions)) {
        const age = Date.now() - Number(name.split(".").pop());
        if (name.startsWith(".") && age > 3_600_000)
          fs.rmSync(path.join(versions, name), { recursive: true, force: true });
      }
      const length = bytes.readUInt32BE(0);
      const index = JSON.parse(bytes.toString("utf8", 4, 4 + length)) as Index;
      let at = 4 + length;
      for (const [name, executable, size] of index) {
        const file = path.join(staging, name);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, bytes.subarray(at, at + size), { mode: executable ? 0o755 : 0o644 });
        at += size;
      }
      fs.writeFileSync(path.join(staging, INDEX), JSON.stringify(index));
      const script = path.join(staging, "dist", "cli", "commands", "remote.js");
      const check = spawnSync(process.execPath, [script, "check"], { encoding: "utf8", timeout: 60_000 });
      if (check.status !== 0)
        throw new Error(`it does not run there: ${(check.stderr || String(check.error ?? check.signal)).slice(-400)}`);
      // A damaged copy is moved away; a complete one, which another installation has put there meanwhile, stays.
      if (fs.existsSync(target) && !isComplete(target)) fs.renameSync(target, `${staging}.0`);
      if (!fs.existsSync(target)) fs.renameSync(staging, target);
      answer({ installed: true });
    } catch (error) {
      if (isComplete(target)) answer({ installed: true });
      else answer({ error: String((error as Error).message).slice(0, 600) });
    } finally {
      fs.rmSync(staging, { recursive: true, force: true });
      fs.rmSync(`${staging}.0`, { recursive: true, force: true });
    }
  };
  if (order.mode === "probe") {
    const installed = order.folder !== null && isComplete(path.join(versions, order.folder));
    const { platform, arch, version } = process;
    answer({ node: version, platform, arch, installed });
  } else if (order.mode === "install") {
    const chunks: Buffer[] = [];
    let size = 0;
    process.stdin.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= order.packed) chunks.push(chunk);
    });
    process.stdin.on("end", () => install(Buffer.concat(chunks)));
  } else {
    const script = path.join(versions, order.folder, order.script);
    try {
      if (order.cwd !== null) process.chdir(path.resolve(os.homedir(), order.cwd));
    } catch (error) {
      process.stderr.write(`rouse: cannot enter ${order.cwd}: ${(error as NodeJS.ErrnoException).code}\n`);
      process.exit(1);
    }
    const child = spawn(process.execPath, [script, ...order.args], { stdio: "inherit" });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    // Without a terminal, sshd sends no signal when the connection ends.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && child.kill("SIGHUP"), 2_000).unref();
    child.on("exit", (code) => {
      process.exitCode = code ?? 1;
    });
  }
}
