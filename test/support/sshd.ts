/**
 * A real sshd on a free loopback port, running as another user than the tests, with its own keys and a home in a temporary folder;
 * ended by process id. The client's side is a folder for the PATH with an `ssh` that reads its own configuration only.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { freePort, removeFolder, serverFolder, serverUser, startServer } from "./component.js";

const SSHD = "/usr/sbin/sshd";
const SSH = "/usr/bin/ssh";

/** Its path, if the tests run as root and may become another user; null: skip. */
export const SSHD_AS_ROOT: string | null =
  process.getuid?.() === 0 && existsSync(SSHD) && existsSync(SSH) && hasShellUser() ? SSHD : null;

function hasShellUser(): boolean {
  return /^postgres:.*\/bin\/(?:ba)?sh$/m.test(readFileSync("/etc/passwd", "utf8"));
}

export interface TestSshd {
  /** Hosts for ssh: `box` works, `stranger` has an unknown key, `changed` another one, `refused` takes no login. */
  readonly port: number;
  readonly pid: number;
  readonly uid: number;
  /** The home there, with rouse's files. */
  readonly home: string;
  /** For the machine that connects: finds this `ssh` first. */
  readonly path: string;
  /** Another port for `box`, such as that of a proxy. */
  connectTo(port: number): void;
  /** A program for `--node` there. */
  program(name: string, text: string): string;
  output(): string;
  stop(): Promise<void>;
}

export async function startSshd(): Promise<TestSshd> {
  const user = serverUser(["postgres"]);
  if (!user) throw new Error("sshd needs another user: run the tests as root");
  const folder = serverFolder("sshd", user);
  const [home, bin, client] = ["home", "bin", "client"].map((name) => {
    mkdirSync(join(folder, name), { mode: 0o755 });
    return join(folder, name);
  }) as [string, string, string];
  chownSync(home, user.uid, user.gid);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const name of ["host", "other-host", "key", "other-key"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", join(folder, name)]);
  const own = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    chownSync(join(folder, name), user.uid, user.gid);
    return join(folder, name);
  };
  chownSync(join(folder, "host"), user.uid, user.gid);
  const port = await freePort();
  const config = own(
    "sshd_config",
    `Port ${port}
ListenAddress 127.0.0.1
HostKey ${join(folder, "host")}
AuthorizedKeysFile ${own("authorized_keys", readFileSync(join(folder, "key.pub"), "utf8"))}
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PrintMotd no
SetEnv HOME=${home} ROUSE_HOME=${home} ROUSE_DAEMON_HTTP_PORT=0 PATH=${bin}${delimiter}/usr/local/bin${delimiter}/usr/bin${delimiter}/bin
`,
  );
  const publicKey = (name: string): string => readFileSync(join(folder, `${name}.pub`), "utf8").trim();
  const known = join(folder, "known_hosts");
  const changed = join(folder, "changed_hosts");
  writeFileSync(known, `box ${publicKey("host")}\n`);
  writeFileSync(changed, `box ${publicKey("other-host")}\n`);
  const connectTo = (target: number): void =>
    writeFileSync(
      join(folder, "ssh_config"),
      `Host stranger
  UserKnownHostsFile /dev/null
Host changed
  UserKnownHostsFile ${changed}
Host refused
  IdentityFile ${join(folder, "other-key")}
Host box stranger changed closed
  IdentityFile ${join(folder, "key")}
Host closed
  Port 1
Host *
  HostName 127.0.0.1
  HostKeyAlias box
  Port ${target}
  User postgres
  IdentitiesOnly yes
  UserKnownHostsFile ${known}
  GlobalKnownHostsFile /dev/null
`,
    );
  connectTo(port);
  const ssh = join(client, "ssh");
  writeFileSync(ssh, `#!/bin/sh\nexec ${SSH} -F ${join(folder, "ssh_config")} "$@"\n`);
  chmodSync(ssh, 0o755);
  const path = `${client}${delimiter}${process.env.PATH}`;
  const isReady = async (): Promise<boolean> => {
    try {
      execFileSync(ssh, ["-o", "BatchMode=yes", "box", "true"], { stdio: "ignore", timeout: 10_000 });
      return true;
    } catch {
      return false;
    }
  };
  try {
    const server = await startServer([SSHD, "-D", "-e", "-f", config], user, isReady);
    return {
      port,
      pid: server.pid,
      uid: user.uid,
      home,
      path,
      connectTo,
      program: (name, text) => {
        writeFileSync(join(bin, name), text);
        chmodSync(join(bin, name), 0o755);
        return join(bin, name);
      },
      output: () => server.output(),
      async stop() {
        await server.stop();
        removeFolder(folder);
      },
    };
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}
