/**
 * This installation of rouse with its production packages as one stream, for a machine that has Node.js only: no npm, no tar.
 * The same files give the same bytes, so the digest names the copy over there.
 *
 * Layout: the length of the index (4 bytes), the index (JSON: path, executable, size), the files one after the other.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SshError } from "./ssh-error.js";

export interface Platform {
  /** As `process.platform` and `process.arch`. */
  platform: string;
  arch: string;
}

export interface Archive {
  version: string;
  /** SHA-256 of the bytes, in hex. */
  digest: string;
  /** Name of the folder over there. */
  folder: string;
  bytes: Buffer;
}

interface Manifest {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** What rouse reads of its own while it runs. */
const OWN = ["bin", "dist", "examples", "plugin", "prompts", "LICENSE", "package.json"];
/** Not read while it runs: types, maps, documentation, sources of native parts. */
const UNUSED = /\.(?:map|d\.[cm]?ts|tsbuildinfo|md|markdown|flow|gyp|cc|cpp|c|h)$/;
const TERMINAL = "@lydell/node-pty";

/** Throws `SshError` if this installation has no native parts for that platform. */
export function packArchive({ platform, arch }: Platform, root: string = ROOT): Archive {
  const own = manifestOf(root);
  if (!existsSync(join(root, "dist", "cli", "main.js"))) throw new SshError("this checkout is not built, run: npm ci");
  const files = new Map<string, string>();
  for (const name of OWN) addFiles(files, join(root, name), name);
  const native = `${platform}-${arch}`;
  for (const [path, folder] of packagesOf(root)) {
    const isOther = path.includes(`${TERMINAL}-`) && !path.endsWith(`${TERMINAL}-${native}`);
    if (!isOther) addFiles(files, folder, path, native);
  }
  if (![...files.keys()].some((path) => path.includes(`${TERMINAL}-${native}/`)))
    throw new SshError(
      `this installation has no terminal library for ${native}: run \`npm install --no-save --force ${TERMINAL}-${native}@${terminalVersion(root)}\` in ${root}, then try again`,
    );
  const bytes = streamOf(files);
  const digest = createHash("sha256").update(bytes).digest("hex");
  return { version: own.version, digest, folder: `${own.version}-${digest.slice(0, 16)}`, bytes };
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

function terminalVersion(root: string): string {
  const folder = findPackage(root, TERMINAL);
  return folder === null ? "latest" : manifestOf(folder).version;
}

function streamOf(files: ReadonlyMap<string, string>): Buffer {
  const paths = [...files.keys()].sort();
  const contents = paths.map((path) => readFileSync(files.get(path) ?? ""));
  const index = paths.map((path, at) => [path, path.startsWith("bin/") ? 1 : 0, contents[at]?.length ?? 0]);
  const text = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...contents]);
}

/** `native`: the platform whose native parts are kept. */
function addFiles(files: Map<string, string>, from: string, to: string, native: string | null = null): void {
  if (!existsSync(from)) return;
  if (statSync(from).isFile()) {
    if (!UNUSED.test(to)) files.set(to, from);
    return;
  }
  for (const name of readdirSync(from)) {
    if (name === "node_modules" || name.startsWith(".")) continue;
    const isOther = to.endsWith("/prebuilds") && native !== null && name !== native;
    if (!isOther) addFiles(files, join(from, name), `${to}/${name}`, native);
  }
}

/**
 * Path in the archive and folder here of every package that rouse needs, wherever npm has put it: at the top if the name is free
 * there, else below the package that needs it.
 */
function packagesOf(root: string): Map<string, string> {
  const placed = new Map<string, string>();
  const add = (folder: string, path: string, above: ReadonlyMap<string, string>): void => {
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(folder);
    for (const name of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies }).sort()) {
      const found = findPackage(folder, name);
      if (found === null || above.get(name) === found) continue;
      const top = `node_modules/${name}`;
      const isTop = !above.has(name) && (placed.get(top) ?? found) === found;
      const place = isTop ? top : `${path}/${top}`;
      if (placed.get(place) === found) continue;
      placed.set(place, found);
      add(found, place, new Map([...above, [name, found]]));
    }
  };
  add(root, "", new Map());
  return placed;
}

/** As Node.js resolves it from a file in `folder`; null: not installed, such as an optional package of another platform. */
function findPackage(folder: string, name: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (at === dirname(at)) return null;
  }
}
