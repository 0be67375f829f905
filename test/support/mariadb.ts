/** A MariaDB of the test's own, with an option file for its client. */
import { execFile } from "node:child_process";
import { chownSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, removeFolder, runProgram, type Server, serverFolder, serverUser, startServer } from "./component.js";

const execute = promisify(execFile);
const found = (paths: readonly string[]): string | null => paths.find((path) => existsSync(path)) ?? null;

export const MARIADB: string | null = found(["/usr/sbin/mariadbd", "/usr/bin/mariadbd"]);
const INSTALL = found(["/usr/bin/mariadb-install-db", "/usr/bin/mysql_install_db"]) ?? "mariadb-install-db";

export interface MariaDb extends Server {
  /** For `--defaults-extra-file`. */
  readonly options: string;
  sql(statements: string, database?: string): Promise<string>;
}

export async function startMariaDb(): Promise<MariaDb> {
  if (MARIADB === null) throw new Error("MariaDB is not installed");
  const user = serverUser(["mysql", "nobody"]);
  const folder = serverFolder("mariadb", user);
  const data = `--datadir=${join(folder, "data")}`;
  const socket = join(folder, "socket");
  const options = join(folder, "client.cnf");
  writeFileSync(options, `[client]\nsocket=${socket}\nuser=root\n`, { mode: 0o600 });
  if (user) chownSync(options, user.uid, user.gid);
  const sql = async (statements: string, database = "mysql"): Promise<string> => {
    const args = [
      `--defaults-extra-file=${options}`,
      "--batch",
      "--raw",
      "--skip-column-names",
      database,
      "-e",
      statements,
    ];
    return (await execute("mysql", args)).stdout;
  };
  try {
    await runProgram(
      [INSTALL, "--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db"],
      user,
    );
    const command = [MARIADB, "--no-defaults", data, `--socket=${socket}`, `--port=${await freePort()}`];
    const server = await startServer([...command, "--bind-address=127.0.0.1"], user, () =>
      sql("SELECT 1").then(
        () => true,
        () => false,
      ),
    );
    return {
      ...server,
      options,
      sql,
      stop: async () => {
        await server.stop();
        removeFolder(folder);
      },
    };
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}
