/** A state folder that commit f58a156 wrote: four agents, three of them with a problem, permissions, silences, messages. */
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RousePaths, rousePaths } from "../../src/config/paths.js";
import { silencedUntil } from "../../src/core/incidents/incident.js";
import { Permission } from "../../src/daemon/permission.js";
import { type Journal, openJournal } from "../../src/store/journal.js";
import { type NewMessage, shownKey } from "../../src/store/messages.js";
import { migrateStateFiles } from "../../src/store/state-files.js";
import { listSessions } from "../../src/terminal/registry.js";

const FIXTURE = join(import.meta.dirname, "..", "fixtures", "state-f58a156");
/** Some seconds after the folder was last written: the silences last for hours from then. */
const NOW = Date.UTC(2026, 10, 16, 18, 22, 30);

let root: string;
let paths: RousePaths;
let open: Journal | null = null;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-state-"));
  paths = rousePaths({ ROUSE_HOME: root });
  cpSync(FIXTURE, paths.state, { recursive: true });
});
afterEach(() => {
  open?.close();
  open = null;
  rmSync(root, { recursive: true, force: true });
});

function openState(): { journal: Journal; notes: readonly string[] } {
  migrateStateFiles(paths.state);
  const opened = openJournal(paths.journal, { now: () => NOW });
  open = opened.journal;
  return opened;
}

describe("a state folder of commit f58a156", () => {
  it("opens without a warning, and nothing is set aside", () => {
    expect(openState().notes).toEqual([]);
    expect(readdirSync(paths.state).filter((name) => name.includes(".bad-"))).toEqual([]);
  });

  it("keeps its open incidents with phase, reasons, acknowledgement and feedback", () => {
    const { incidents } = openState().journal.incidentState.load();
    const facts = incidents.map(({ agent, problem, phase, endedAt, ackedAt, feedback, reasons }) => ({
      agent,
      problem,
      phase,
      isOpen: endedAt === null,
      isAcknowledged: ackedAt !== null,
      feedback,
      reason: reasons[0]?.replace(/\d+ s ago/, "N s ago"),
    }));
    expect(facts.sort((a, b) => (a.agent < b.agent ? -1 : 1))).toEqual([
      {
        agent: "ada",
        problem: "needs_input",
        phase: "confirmed",
        isOpen: true,
        isAcknowledged: false,
        feedback: null,
        reason: expect.stringContaining("Which database should the tests use?"),
      },
      {
        agent: "ben",
        problem: "error",
        phase: "escalated",
        isOpen: true,
        isAcknowledged: false,
        feedback: "right",
        reason: expect.stringContaining("the registry refuses the token"),
      },
      {
        agent: "cid",
        problem: "error",
        phase: "confirmed",
        isOpen: true,
        isAcknowledged: true,
        feedback: null,
        reason: expect.stringContaining("the disk is full"),
      },
    ]);
  });

  it("keeps the actions of an incident, with their outcomes", () => {
    const { actions, incidents } = openState().journal.incidentState.load();
    const [action] = actions;
    expect(actions).toHaveLength(1);
    expect(action).toMatchObject({
      agent: "ben",
      do: "nudge",
      outcome: { result: "refused", reason: "the program has ended" },
    });
    expect(incidents.find(({ id }) => id === action?.incident)?.agent).toBe("ben");
  });

  it("keeps its silences", () => {
    const incidentState = openState().journal.incidentState.load();
    const HOUR = 3_600_000;
    const silenced = (agent: string, problem: "error" | "rate_limited", at: number): boolean =>
      silencedUntil(incidentState, { agent, problem }, at) !== null;
    expect(silenced("dot", "error", NOW + 47 * HOUR)).toBe(true);
    expect(silenced("dot", "error", NOW + 49 * HOUR)).toBe(false);
    expect(silenced("cid", "rate_limited", NOW + 7 * HOUR)).toBe(true);
    expect(silenced("cid", "error", NOW)).toBe(false);
  });

  it("keeps its sessions, with their signals and the records of their hosts", () => {
    const { journal } = openState();
    const sessions = journal.sessions();
    expect(sessions.map(({ name }) => name)).toEqual(["ada", "ben", "cid", "dot"]);
    expect(sessions[0]).toMatchObject({ kind: "generic", origin: "spawn", task: "T-1", tags: ["worker"] });
    for (const { id: session } of sessions) {
      const kinds = [...journal.read(session)].map(({ signal }) => signal.kind);
      expect(kinds).toContain("screen");
    }
    expect(
      listSessions(paths)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(["ada", "ben", "cid", "dot"]);
  });

  it("keeps the key of a client's message, apart from the keys of rouse", () => {
    const { messages } = openState().journal;
    const [note] = messages.read("orchestrator", 0, false).filter(({ sender }) => sender === "user");
    expect(note?.key).toMatch(/^client:/);
    const key = shownKey(String(note?.key));
    expect(key).toBe("c19fa288-0090-4655-be88-259fa977ca06");
    // The client sends it again.
    const { receiver, type, sender, at } = note as NewMessage;
    expect(messages.send({ receiver, key, type, sender, at, payload: {} })).toBe(note?.id);
  });

  it("keeps its messages in order, unacknowledged", () => {
    const messages = openState().journal.messages.read("orchestrator", 0, false);
    expect(messages.map(({ type, payload }) => [type, (payload as { worker_name?: string }).worker_name])).toEqual([
      ["worker.needs_input", "ada"],
      ["worker.error", "ben"],
      ["worker.error", "cid"],
      ["note", undefined],
    ]);
  });

  it("keeps its permissions, including the agents excluded by name", () => {
    const permission = new Permission(join(paths.state, "allow.json"));
    expect(permission.loadError).toBeNull();
    const allowed = (name: string, origin: "spawn" | "tmux", about: "loop" | "rate_limited"): boolean =>
      permission.isAllowed({ name, origin }, about, NOW);
    expect(allowed("new", "spawn", "loop")).toBe(true);
    expect(allowed("new", "tmux", "loop")).toBe(false);
    expect(allowed("ada", "spawn", "loop")).toBe(true);
    expect(allowed("ada", "spawn", "rate_limited")).toBe(false);
    expect(allowed("ben", "spawn", "loop")).toBe(false);
  });
});

describe("a damaged state folder of commit f58a156", () => {
  it.each([
    ["cut off", (path: string) => truncateSync(path, 20_000)],
    ["overwritten", (path: string) => writeFileSync(path, "x".repeat(9000))],
  ])("is set aside with a message that names the file: %s", (_, damage) => {
    damage(paths.journal);
    const bad = readFileSync(paths.journal);
    const { journal, notes } = openState();
    const aside = `${paths.journal}.bad-20261116T182230Z`;
    expect(notes).toEqual([expect.stringMatching(/^The journal was damaged \(.+\)\. It was kept as /)]);
    expect(notes[0]).toContain(aside);
    expect(readFileSync(aside).equals(bad)).toBe(true);
    expect(journal.sessions()).toEqual([]);
    expect(existsSync(join(paths.state, "allow.json"))).toBe(true);
  });

  it("permits nothing, and reports it, if the permissions cannot be read", () => {
    const path = join(paths.state, "allow.json");
    writeFileSync(path, '{"all":');
    const permission = new Permission(path);
    expect(permission.loadError).toContain(`${path} cannot be read`);
    expect(permission.isAllowed({ name: "ada", origin: "spawn" }, "loop", NOW)).toBe(false);
  });
});
