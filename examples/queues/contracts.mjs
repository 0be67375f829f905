#!/usr/bin/env node
/**
 * Contract files as a source of work (docs/work.md): one JSON file per contract in a folder, with `contract_id`, `title`,
 * `description`, `status` (AVAILABLE, CLAIMED, BLOCKED, COMPLETED) and `assigned_agent`.
 *
 *   [work.sources.contracts]
 *   kind = "command"
 *   list = ["/home/me/contracts.mjs", "/home/me/contracts"]         # and the same for read, mark, comment and close
 */
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [, , folder = ""] = process.argv;
const { operation, key, status, holder, text } = JSON.parse(readFileSync(0, "utf8"));
const STATUS = { open: "AVAILABLE", claimed: "CLAIMED", blocked: "BLOCKED" };

const contracts = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort()
  .map((name) => ({ path: join(folder, name), contract: JSON.parse(readFileSync(join(folder, name), "utf8")) }));
const itemOf = ({ contract }) => ({
  key: contract.contract_id,
  title: contract.title,
  description: contract.description ?? "",
  status: contract.status === "COMPLETED" ? "closed" : "open",
  holder: contract.assigned_agent || null,
});
const found = contracts.find(({ contract }) => contract.contract_id === key);

function change(fields) {
  if (!found) throw new Error(`no contract ${key}`);
  const { contract, path } = found;
  if (contract.assigned_agent && contract.assigned_agent !== holder)
    throw new Error(`contract ${key} is assigned to ${contract.assigned_agent}`);
  // A reader sees the old file or the new one.
  writeFileSync(`${path}.${process.pid}`, `${JSON.stringify({ ...contract, ...fields }, null, 2)}\n`);
  renameSync(`${path}.${process.pid}`, path);
}

const OPERATIONS = {
  list: () => contracts.map(itemOf).filter((item) => item.status !== "closed"),
  read: () => (found ? itemOf(found) : null),
  mark: () => change({ status: STATUS[status], assigned_agent: status === "claimed" ? holder : "" }),
  comment: () => change({ notes: [...(found?.contract.notes ?? []), text] }),
  close: () => change({ status: "COMPLETED", result: text }),
};
process.stdout.write(JSON.stringify(OPERATIONS[operation]() ?? null));
