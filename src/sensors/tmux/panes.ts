/** The panes of a tmux server, from one listing. */
import { textHead } from "../../readers/records/text.js";
import type { Command } from "./link.js";

export interface Pane {
  /** `%12`, unique in its server while that runs. */
  id: string;
  /** Process that the pane was started with. */
  pid: number;
  dead: boolean;
  deadStatus: number | null;
  deadSignal: number | null;
  cols: number;
  rows: number;
  cursorX: number;
  cursorY: number;
  tty: string;
  server: { pid: number; startedAt: string };
  session: { id: string; name: string; attached: number };
  window: { id: string; name: string };
  /** The user could notice an additional client, because of an option of this session or server. */
  shows: boolean;
  /** Foreground program. */
  command: string;
  /** What the pane was started with; empty for the user's shell. */
  startCommand: string;
  title: string;
  cwd: string;
  /** Created by rouse itself. */
  own: boolean;
  tags: string[];
  /** `@rouse_name`, `@rouse_task`, `@rouse_kind` as set for pane, window, session or server. */
  name: string | null;
  task: string | null;
  kind: string | null;
}

/** Numbers and ids first, then fields that a program or a user can set. */
const FIELDS = [
  "pane_id",
  "pane_pid",
  "pane_dead",
  "pane_dead_status",
  "pane_dead_signal",
  "pane_width",
  "pane_height",
  "cursor_x",
  "cursor_y",
  "pane_tty",
  "pid",
  "start_time",
  "session_id",
  "session_attached",
  "window_id",
  "focus-events",
  "destroy-unattached",
  "exit-unattached",
  "session_name",
  "window_name",
  "pane_current_command",
  "pane_start_command",
  "pane_title",
  "pane_current_path",
  "@rouse_own",
  "@rouse_tags",
  "@rouse_name",
  "@rouse_task",
  "@rouse_kind",
] as const;
type Field = (typeof FIELDS)[number];

const PANES_MAX = 2000;
const TEXT_MAX = 200;
const TAGS_MAX = 20;
/** One pane's rows with their colours. */
export const capturePane = (id: string): Command => ["capture-pane", "-p", "-e", "-t", id];

const PANE_ID = /^%\d{1,10}$/;
const SESSION_ID = /^\$\d{1,10}$/;

/**
 * tmux has no separator that a title, a path or an option could not contain, and later releases rewrite control
 * characters. So fields and records are separated by a random mark, new for each listing.
 */
export function listPanes(mark: string): Command {
  return ["list-panes", "-a", "-F", `${mark}:${FIELDS.map((field) => `#{${field}}`).join(`${mark};`)}`];
}

/**
 * The panes of a listing, each once: a window can be linked into several sessions; `known` decides which one counts.
 */
export function parsePanes(text: string, mark: string, known?: (pane: string) => string | undefined): Pane[] {
  const panes = new Map<string, Pane>();
  for (const record of text.split(`${mark}:`).slice(1)) {
    if (panes.size >= PANES_MAX) break;
    const values = record.replace(/\n$/, "").split(`${mark};`);
    if (values.length !== FIELDS.length) continue;
    const pane = paneOf((field) => values[FIELDS.indexOf(field)] as string);
    if (!pane) continue;
    if (!panes.has(pane.id) || known?.(pane.id) === pane.session.id) panes.set(pane.id, pane);
  }
  return [...panes.values()];
}

function paneOf(get: (field: Field) => string): Pane | null {
  const id = get("pane_id");
  const session = get("session_id");
  const pid = whole(get("pane_pid"));
  const server = whole(get("pid"));
  if (!PANE_ID.test(id) || !SESSION_ID.test(session) || pid === null || server === null) return null;
  return {
    id,
    pid,
    dead: get("pane_dead") === "1",
    deadStatus: whole(get("pane_dead_status")),
    deadSignal: whole(get("pane_dead_signal")),
    cols: whole(get("pane_width")) ?? 0,
    rows: whole(get("pane_height")) ?? 0,
    cursorX: whole(get("cursor_x")) ?? 0,
    cursorY: whole(get("cursor_y")) ?? 0,
    tty: textHead(get("pane_tty"), TEXT_MAX),
    server: { pid: server, startedAt: textHead(get("start_time"), 20) },
    session: {
      id: session,
      name: textHead(get("session_name"), TEXT_MAX),
      attached: whole(get("session_attached")) ?? 0,
    },
    window: { id: textHead(get("window_id"), 20), name: textHead(get("window_name"), TEXT_MAX) },
    shows: (["focus-events", "destroy-unattached", "exit-unattached"] as const).some((field) => isOn(get(field))),
    command: textHead(get("pane_current_command"), TEXT_MAX),
    startCommand: textHead(get("pane_start_command"), TEXT_MAX),
    title: textHead(get("pane_title"), 2 * TEXT_MAX),
    // A folder may contain any character except zero; it is only used as a path.
    cwd: get("pane_current_path").slice(0, 4096),
    own: isOn(get("@rouse_own")),
    tags: tagsOf(get("@rouse_tags")),
    name: textHead(get("@rouse_name"), 100) || null,
    task: textHead(get("@rouse_task"), TEXT_MAX) || null,
    kind: textHead(get("@rouse_kind"), 100) || null,
  };
}

function tagsOf(text: string): string[] {
  const tags = textHead(text, 1000)
    .split(/[\s,]+/)
    .filter((tag) => tag !== "");
  return [...new Set(tags)].slice(0, TAGS_MAX);
}

const isOn = (value: string): boolean => value !== "" && value !== "0" && value !== "off";

function whole(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
