/** `rouse fleet`: set up a PostgreSQL that several machines share, and add this or another machine to it. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import { setInConfig } from "../../config/edit.js";
import { makeFolder, rousePaths } from "../../config/paths.js";
import { writeWhole } from "../../config/whole-file.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { shellWord } from "../../core/text/shell-word.js";
import { checkHost, checkNodePath, type SshTarget } from "../../fleet/ssh/command.js";
import { HubError } from "../../hub/hub-error.js";
import { hubOptions, openFleet, openHub } from "../../hub/open.js";
import { BadInput } from "../../replay/bad-input.js";
import { call } from "../client.js";
import { permitted } from "../permit.js";
import { loadSettings } from "../settings.js";
import { nodesText } from "../text/fleet.js";
import { installNoted, NODE_PROGRAM, orBadSsh } from "./ssh.js";

const ADMIN_URL =
  "address of the database for an administrator, postgresql://USER@HOST:PORT/DATABASE; set PGPASSWORD or use ~/.pgpass for its password";

export function addFleet(program: Command, setExit: (code: number) => void): void {
  const fleet = program.command("fleet").summary("Share tasks between machines through PostgreSQL");
  fleet
    .command("init")
    .summary("Set up a PostgreSQL database as the hub of a fleet")
    .description(
      "Create the roles, tables, functions and grants of a hub in a PostgreSQL database, or update them. Can be repeated.\n" +
        "Needs a login that may create roles and schemas.",
    )
    .requiredOption("--url <url>", ADMIN_URL)
    .option("--json", "print JSON")
    .action(async ({ url, json }) => {
      const setup = await permitted("local_fleet", { text: "init" }, [], async () => {
        const { initHub } = await import("../../hub/postgres/admin.js");
        return orBadInput(initHub(url));
      });
      if (json) process.stdout.write(`${sanitizedJson(setup)}\n`);
      else {
        for (const line of setup.done) process.stdout.write(`${sanitize(line[0]?.toUpperCase() + line.slice(1))}.\n`);
        process.stdout.write(
          setup.done.length === 0
            ? `The hub is up to date (schema ${setup.schema}).\n`
            : "The hub is ready. Add a machine with `rouse fleet join NAME --url URL`.\n",
        );
      }
    });
  fleet
    .command("join")
    .summary("Add a machine to the fleet")
    .description(
      "Create a login for a machine on the hub, and write its address into this machine's configuration. With --print,\n" +
        "print the lines for another machine's configuration instead. With --ssh, write it on a machine that `rouse ssh HOST`\n" +
        "reaches; that machine reaches the hub through this one while `rouse ssh --relay HOST` runs here.",
    )
    .argument("<name>", "name of the machine: a-z, 0-9, - and _")
    .requiredOption("--url <url>", ADMIN_URL)
    .option("--print", "print the configuration for another machine")
    .option("--ssh <host>", "join this machine by ssh")
    .option("--node <path>", `with --ssh: ${NODE_PROGRAM}`, "node")
    .option("--replace", "replace the login of a machine that has this name already")
    .action(async (name, { url, print = false, replace = false, ssh, node }, self) => {
      if (ssh !== undefined) {
        const objection =
          (print ? "--print and --ssh exclude each other" : null) ?? checkHost(ssh) ?? checkNodePath(node);
        if (objection !== null) self.error(`error: ${objection}`, { exitCode: 2 });
        await permitted("local_fleet", { text: `join ${name} by ssh` }, [], () =>
          joinThere({ host: ssh, node }, { name, url, replace }),
        );
        const host = shellWord(ssh);
        process.stdout.write(
          `Joined ${sanitize(name, 60)} to the fleet. Keep \`rouse ssh --relay ${host}\` running here. If a daemon runs there, restart it: \`rouse ssh ${host} -- down\`.\n`,
        );
        return;
      }
      const file = join(rousePaths().config, "config.toml");
      const changed = print ? [] : [file];
      const values = await permitted("local_fleet", { text: `join ${name}` }, changed, async () => {
        // Before the hub is changed: a file that cannot be edited must not leave a node behind.
        const write = print ? null : prepareConfig(file, replace);
        const { joinHub } = await import("../../hub/postgres/admin.js");
        const login = await orBadInput(joinHub(url, name, { replace }));
        write?.({ url: login.url, node: login.node });
        return { url: login.url, node: login.node };
      });
      if (print) {
        process.stdout.write(setInConfig("", "hub", values).split("\n").slice(2).join("\n"));
        process.stderr.write(
          `rouse: Add these lines to ~/.config/rouse/config.toml on ${sanitize(name, 60)}. The address contains its password and is shown only once.\n`,
        );
        return;
      }
      const hub = await orBadInput(openHub(hubOptions(loadSettings(), rousePaths())));
      await hub.close();
      process.stdout.write(
        `Joined the fleet as ${values.node}. The address is in ${file}; restart the daemon with \`rouse down\` and \`rouse up\`.\n`,
      );
    });
  fleet
    .command("list")
    .summary("List the machines of the fleet")
    .description(
      "List the machines of the fleet: whether each renews its lease, its agents, and whether this machine accepts its commands.",
    )
    .option("--json", "print JSON")
    .action(async ({ json }) => {
      const view = await call("fleet", {});
      const { agents: _agents, ...rest } = view;
      process.stdout.write(json ? `${sanitizedJson(rest)}\n` : nodesText(view, process.stdout));
    });
  fleet
    .command("leave")
    .summary("Remove a machine from the fleet")
    .description(
      "Remove this machine from the fleet: its agents disappear from the others, and its login is refused from then on. Its own\n" +
        "journal and settings stay. With a NAME and --url, remove another machine, for example one that is lost for good.",
    )
    .argument("[name]", "name of another machine (default: this one)")
    .option("--url <url>", ADMIN_URL)
    .option("--release", "offer the tasks that it holds to the other machines")
    .action(async (name, { url, release = false }, self) => {
      if (name !== undefined && url === undefined)
        self.error("error: removing another machine needs --url, the address for an administrator", { exitCode: 2 });
      if (name === undefined && url !== undefined)
        self.error("error: --url needs the NAME of a machine", { exitCode: 2 });
      const released =
        name !== undefined && url !== undefined
          ? await permitted("local_fleet", { text: `leave ${name}` }, [], async () => {
              const { leaveHub } = await import("../../hub/postgres/admin.js");
              return orBadInput(leaveHub(url, name, { release }));
            })
          : await leaveWithThis(release);
      const tasks = released.length === 0 ? "" : ` Offered again: task ${released.join(", ")}.`;
      process.stdout.write(
        name === undefined
          ? `This machine has left the fleet.${tasks} Restart the daemon with \`rouse down\` and \`rouse up\`.\n`
          : `Removed ${sanitize(name, 60)} from the fleet.${tasks}\n`,
      );
    });
  fleet
    .command("doctor")
    .summary("Check the connection of this machine to its hub")
    .description(
      "Check address, login, TLS, schema, lease, speed and clock of this machine's hub. Exits 1 if something is wrong.",
    )
    .option("--json", "print JSON")
    .action(async ({ json }) => {
      const { checkFleet } = await import("../check-fleet.js");
      const checks = await checkFleet(loadSettings(), rousePaths());
      const marks = { ok: "ok", note: "note", problem: "PROBLEM" } as const;
      process.stdout.write(
        json
          ? `${sanitizedJson({ checks })}\n`
          : checks
              .map(({ result, about, text }) => `${marks[result].padEnd(7)}  ${about}: ${sanitize(text, 400)}\n`)
              .join(""),
      );
      if (checks.some(({ result }) => result === "problem")) setExit(1);
    });
}

/** Nothing half joined: the hub is changed once that machine can be written to, and changed back if it then is not. */
async function joinThere(
  target: SshTarget,
  { name, url, replace }: { name: string; url: string; replace: boolean },
): Promise<void> {
  const { joinRemote } = await import("../../fleet/ssh/node.js");
  const { joinHub, leaveHub } = await import("../../hub/postgres/admin.js");
  const { folder } = await orBadSsh(installNoted(target));
  await orBadSsh(joinRemote(target, folder, { node: name, url: null, replace }));
  const login = await orBadInput(joinHub(url, name, { replace }));
  try {
    await orBadSsh(joinRemote(target, folder, { node: login.node, url: login.url, replace }));
  } catch (error) {
    if (!replace) await leaveHub(url, name).catch(() => {});
    throw error;
  }
}

/** The file last: a hub that refuses leaves everything as it is. */
async function leaveWithThis(release: boolean): Promise<number[]> {
  const file = join(rousePaths().config, "config.toml");
  const { url } = loadSettings().hub;
  if (url === "") throw new BadInput("this machine is in no fleet ([hub] url is not set)");
  if (process.env.ROUSE_HUB_URL) throw new BadInput("the hub is set by ROUSE_HUB_URL: unset it, and run this again");
  const edited = setInConfig(readFileSync(file, "utf8"), "hub", { url: "" });
  return permitted("local_fleet", { text: "leave" }, [file], async () => {
    const hub = await orBadInput(openFleet(url));
    try {
      const { released } = await orBadInput(hub.leave({ release }));
      writeWhole(realpathSync(file), edited);
      return released;
    } finally {
      await hub.close();
    }
  });
}

/** Writes both keys; the file is readable by its user only, since the address has a password. */
function prepareConfig(file: string, replace: boolean): (values: { url: string; node: string }) => void {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const { url } = loadSettings().hub;
  if (url !== "" && !replace)
    throw new BadInput(
      "this machine has joined a fleet already ([hub] url is set): remove that line to join another, or use --replace to renew its login",
    );
  const edit = (values: { url: string; node: string }): string => {
    try {
      return setInConfig(before, "hub", values);
    } catch (error) {
      throw new BadInput(`${file} cannot be changed: ${sanitize((error as Error).message, 200)}; nothing was done`);
    }
  };
  edit({ url: "postgresql://x", node: "x" });
  makeFolder(dirname(file));
  return (values) => {
    const real = existsSync(file) ? realpathSync(file) : file;
    writeWhole(real, edit(values));
  };
}

/** The message of a hub's error is for users. */
async function orBadInput<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof HubError ? new BadInput(error.message) : error;
  }
}
