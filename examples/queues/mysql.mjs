#!/usr/bin/env node
/**
 * A queue in MySQL or MariaDB as a source of work (docs/work.md). `mysql` has to be installed; the login is in an option file:
 *
 *   [work.sources.queue]
 *   kind = "command"
 *   list = ["/home/me/mysql.mjs", "/home/me/queue.cnf", "shop"]
 *   read = ["/home/me/mysql.mjs", "/home/me/queue.cnf", "shop"]     # and the same for mark, comment and close
 *
 *   CREATE TABLE implementationQueue (id INT PRIMARY KEY AUTO_INCREMENT, title TEXT NOT NULL, description TEXT,
 *     priority INT NOT NULL DEFAULT 0, status VARCHAR(20) NOT NULL DEFAULT 'pending', holder VARCHAR(200), notes TEXT)
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const [, , options = "", database = ""] = process.argv;
const { operation, key = "", status = "", holder = "", text = "" } = JSON.parse(readFileSync(0, "utf8"));

/** Statements read values as hexadecimal digits: no text of an agent or of the queue is ever SQL. */
const value = (word) => (word === "" ? "''" : `CONVERT(X'${Buffer.from(word).toString("hex")}' USING utf8mb4)`);
const ITEM = `JSON_OBJECT('key', CONCAT(id, ''), 'title', title, 'description', COALESCE(description, ''), 'priority', priority,
  'status', IF(status IN ('completed', 'failed'), 'closed', 'open'), 'holder', holder)`;
const id = /^\d{1,9}$/.test(key) ? key : "0";
const free = `id = ${id} AND (holder IS NULL OR holder = ${value(holder)})`;
const note = `notes = CONCAT(COALESCE(notes, ''), ${value(`${text}\n`)})`;

const STATEMENTS = {
  list: `SELECT ${ITEM} FROM implementationQueue WHERE status NOT IN ('completed', 'failed') ORDER BY priority DESC, id LIMIT 500`,
  read: `SELECT ${ITEM} FROM implementationQueue WHERE id = ${id}`,
  mark:
    status === "claimed"
      ? `UPDATE implementationQueue SET status = 'processing', holder = ${value(holder)} WHERE ${free}`
      : `UPDATE implementationQueue SET status = ${status === "blocked" ? "'blocked'" : "'pending'"}, holder = NULL WHERE ${free}`,
  comment: `UPDATE implementationQueue SET ${note} WHERE id = ${id}`,
  close: `UPDATE implementationQueue SET status = 'completed', ${note} WHERE ${free}`,
};

const rows = execFileSync(
  "mysql",
  [
    `--defaults-extra-file=${options}`,
    "--default-character-set=utf8mb4",
    "--batch",
    "--raw",
    "--skip-column-names",
    database,
  ],
  { input: STATEMENTS[operation], encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
)
  .split("\n")
  .filter((row) => row !== "")
  .map((row) => JSON.parse(row));
if (operation === "list") process.stdout.write(JSON.stringify(rows));
if (operation === "read") process.stdout.write(JSON.stringify(rows[0] ?? null));
