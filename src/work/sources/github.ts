/**
 * GitHub issues through `gh api`: only those with the configured label, set by an account with write access. A claim is one
 * comment, edited in place, and the assignee. Comments are numbered by GitHub, so of two claims by the same account the first
 * one counts; any other assignee counts before both.
 */
import type { SourceSettings } from "../../config/sources.js";
import { type Fields, fieldsList, isFields, itemOf, line, list, onlyFields } from "./item.js";
import { persistently } from "./persistently.js";
import { runJson } from "./run-json.js";
import { type Source, SourceError, type SourceItem } from "./source.js";

const PAGE = 100;
const PAGES_MAX = 5;
/** New or changed issues whose label is checked in one poll; the others follow in the next. */
const CHECKS_MAX = 50;
const CAN_WRITE = new Set(["admin", "maintain", "write"]);
const CLAIMED = /^<!-- rouse:claim ([A-Za-z0-9._@-]{1,200}) -->/;
const FREE = "<!-- rouse:free -->";
const WORKING = "rouse works on this";
const LOGIN = /^[A-Za-z0-9][A-Za-z0-9-]{0,99}(\[bot\])?$/;

interface ClaimComment {
  id: number;
  holder: string | null;
  text: string;
}

export function githubSource(settings: SourceSettings & { kind: "github" }): Source {
  const { repo, label, program } = settings;
  const issues = `repos/${repo}/issues`;
  const send = (method: string, path: string, input?: object): Promise<unknown> =>
    runJson([program, "api", "--method", method, ...(input ? ["--input", "-"] : []), path], {
      timeoutMs: settings.timeout_secs * 1000,
      ...(input ? { input } : {}),
    });
  /** One page may be the last of many; more than `PAGES_MAX` are not read. */
  const pages = async (path: string): Promise<Fields[]> => {
    const found: Fields[] = [];
    for (let page = 1; page <= PAGES_MAX; page++) {
      const join = path.includes("?") ? "&" : "?";
      const part = fieldsList(await send("GET", `${path}${join}per_page=${PAGE}&page=${page}`), program);
      found.push(...part);
      if (part.length < PAGE) break;
    }
    return found;
  };
  let login: string | null = null;
  const ownLogin = async (): Promise<string> => {
    login ??= line(onlyFields(await send("GET", "user"), program)?.login, 100);
    if (login === "") throw new SourceError("broken", `${program} api user printed no login`);
    return login;
  };
  const permissions = new Map<string, boolean>();
  const canWrite = async (account: unknown): Promise<boolean> => {
    if (typeof account !== "string" || !LOGIN.test(account)) return false;
    const known = permissions.get(account);
    if (known !== undefined) return known;
    const found = await send("GET", `repos/${repo}/collaborators/${encodeURIComponent(account)}/permission`).catch(
      (error: unknown) => {
        // 404 is the answer about an account without any access.
        if (error instanceof SourceError && /HTTP 404/.test(error.message)) return {};
        throw error;
      },
    );
    const may = CAN_WRITE.has(String(onlyFields(found, program)?.permission));
    permissions.set(account, may);
    return may;
  };
  /** By issue: the change at which its label was last checked, and the result. */
  const trusted = new Map<number, { at: unknown; isTrusted: boolean }>();
  const isTrusted = async (number: number): Promise<boolean> => {
    const events = await pages(`${issues}/${number}/events`);
    const about = events.filter(({ event, label: of }) => String(event).endsWith("labeled") && nameOf(of) === label);
    const last = about.at(-1);
    return last?.event === "labeled" && isFields(last.actor) && (await canWrite(last.actor.login));
  };
  const commentsOf = async (key: string): Promise<ClaimComment[]> => {
    const own = await ownLogin();
    return (await pages(`${issues}/${key}/comments`)).flatMap(({ id, user, body }) => {
      if (!isFields(user) || user.login !== own || typeof body !== "string" || typeof id !== "number") return [];
      const holder = CLAIMED.exec(body)?.[1] ?? null;
      if (holder === null && !body.startsWith(FREE)) return [];
      return [{ id, holder, text: body.slice(body.indexOf("-->") + 3).trim() }];
    });
  };
  const holderOf = async (issue: Fields): Promise<string | null> => {
    const assignees = list(issue.assignees).flatMap((one) => (isFields(one) ? [line(one.login, 100)] : []));
    const own = await ownLogin();
    const other = assignees.find((one) => one !== own);
    if (other !== undefined) return other;
    // Other clients see the assignee only: a claim whose assignment was lost is none yet.
    if (!assignees.includes(own)) return null;
    return (await commentsOf(String(issue.number))).find(({ holder }) => holder !== null)?.holder ?? own;
  };
  const write = async (key: string, holder: string, marker: string, text: string): Promise<void> => {
    const comments = await commentsOf(key);
    const mine = comments.find((one) => one.holder === holder) ?? comments.find((one) => one.holder === null);
    const body = { body: `${marker}\n${text}` };
    if (mine) await send("PATCH", `${issues}/comments/${mine.id}`, body);
    else await send("POST", `${issues}/${key}/comments`, body);
  };
  const free = async (key: string, holder: string): Promise<void> => {
    const comments = await commentsOf(key);
    const mine = comments.find((one) => one.holder === holder);
    const text = mine?.text.startsWith(WORKING) ? "rouse gave this back." : mine?.text;
    if (mine) await send("PATCH", `${issues}/comments/${mine.id}`, { body: `${FREE}\n${text}` });
    if (comments.every((one) => one.holder === null || one.holder === holder))
      await send("DELETE", `${issues}/${key}/assignees`, { assignees: [await ownLogin()] });
  };
  const claimMarker = (holder: string): string => `<!-- rouse:claim ${holder} -->`;
  return {
    list: async () => {
      const found = await persistently(() => pages(`${issues}?state=open&labels=${encodeURIComponent(label)}`));
      const items: SourceItem[] = [];
      let checks = 0;
      for (const issue of found) {
        const { number, updated_at, pull_request } = issue;
        if (typeof number !== "number" || pull_request !== undefined) continue;
        const known = trusted.get(number);
        if (known?.at !== updated_at) {
          if (checks++ >= CHECKS_MAX) continue;
          trusted.set(number, { at: updated_at, isTrusted: await persistently(() => isTrusted(number)) });
        }
        const item = trusted.get(number)?.isTrusted ? issueOf(issue, null) : null;
        // Who holds it is read before it is claimed; here an assignee is enough.
        if (item) items.push({ ...item, holder: list(issue.assignees).length === 0 ? null : await holderOf(issue) });
      }
      permissions.clear();
      return items;
    },
    read: async (key) => {
      const found = await send("GET", `${issues}/${key}`).catch((error: unknown) => {
        if (error instanceof SourceError && /HTTP 404|HTTP 410/.test(error.message)) return null;
        throw error;
      });
      const issue = onlyFields(found, program);
      if (issue === null) return null;
      const item = issueOf(issue, await holderOf(issue));
      if (item?.key !== key) throw new SourceError("broken", `${program} printed no issue ${key}`);
      const isLabelled = list(issue.labels).some((one) => nameOf(one) === label);
      return isLabelled ? item : { ...item, isOpen: false };
    },
    mark: async (key, status, holder) => {
      if (status !== "claimed") return free(key, holder);
      await write(key, holder, claimMarker(holder), `${WORKING} (${holder}).`);
      await send("POST", `${issues}/${key}/assignees`, { assignees: [await ownLogin()] });
    },
    withdraw: free,
    comment: async (key, text, holder) => {
      const isHeld = (await commentsOf(key)).some((one) => one.holder === holder);
      await write(key, holder, isHeld ? claimMarker(holder) : FREE, text);
    },
    close: async (key, text, holder) => {
      await write(key, holder, FREE, text);
      await send("PATCH", `${issues}/${key}`, { state: "closed", state_reason: "completed" });
    },
  };
}

const nameOf = (label: unknown): unknown => (isFields(label) ? label.name : label);

const issueOf = ({ number, title, body, state, labels }: Fields, holder: string | null): SourceItem | null =>
  itemOf({
    key: number,
    title,
    description: body,
    tags: list(labels).map(nameOf),
    steps: checklist(body),
    status: state,
    holder,
  });

/** The checklist of an issue becomes the steps of the task. */
const checklist = (body: unknown): string[] =>
  typeof body === "string" ? body.split("\n").flatMap((one) => /^\s*[-*] \[[ xX]\] (.+)$/.exec(one)?.[1] ?? []) : [];
