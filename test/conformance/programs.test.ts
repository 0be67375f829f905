/** Every registered agent program, checked against what the rest of rouse expects of its parts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProgramFiles } from "../../src/programs/files.js";
import { partOf } from "../../src/programs/part.js";
import { programOf } from "../../src/programs/process.js";
import { PROGRAMS, profileFor, programFor, programOfRecords } from "../../src/programs/registry.js";
import { profileSchema } from "../../src/programs/shared/profile-schema.js";
import { type JsonRecord, parseRecord } from "../../src/readers/records/json.js";
import { NO_CONTEXT } from "../../src/readers/records/record-reader.js";

const ROOT = join(import.meta.dirname, "..", "..");
const FOLDER = join(ROOT, "src", "programs");
const HOME = "/home/ann";
const NO_FILES: ProgramFiles = {
  names: async () => [],
  changedAt: async () => null,
  readHead: async () => null,
  realRoot: (folder) => folder,
  sha256: () => "0".repeat(64),
};
const CANDIDATE = { pids: [7], startedAt: 0, argv: [], cwd: "/work", env: new Map(), home: HOME, openFiles: [] };

const named = PROGRAMS.map((program) => [program.profile.id, program] as const);

describe("the registry of programs", () => {
  it("lists every folder of a program, and each once", () => {
    const folders = readdirSync(FOLDER).filter((name) => existsSync(join(FOLDER, name, "index.ts")));
    expect(PROGRAMS.map(({ profile }) => profile.id).sort()).toEqual(folders.sort());
  });

  it("gives no name, product or command to two programs", () => {
    for (const names of [
      PROGRAMS.flatMap(({ profile }) => [profile.id, ...profile.programs.filter((name) => name !== profile.id)]),
      PROGRAMS.flatMap(({ profile }) => profile.products),
      PROGRAMS.flatMap(({ process }) => partOf(process)?.name ?? []),
    ])
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it("assigns each recorded transcript to exactly one program", () => {
    const transcripts = recordedTranscripts();
    expect(new Set(transcripts.map(({ program }) => program)).size).toBeGreaterThanOrEqual(4);
    for (const { program, path } of transcripts) {
      const records = recordsIn(path);
      const owners = PROGRAMS.filter(({ transcript }) => partOf(transcript)?.isOwn(records));
      expect([path, owners.map(({ profile }) => profile.id)]).toEqual([path, [program]]);
      expect(programOfRecords(records).profile.id).toBe(program);
    }
  });
});

describe("the core", () => {
  it("names no program: their differences are traits", () => {
    const names = PROGRAMS.filter(({ process }) => partOf(process) !== null).flatMap(({ profile }) => [
      profile.id,
      ...profile.programs,
      ...profile.products,
    ]);
    const pattern = new RegExp(`\\b(?:${names.join("|")})\\b`, "i");
    const files = readdirSync(join(ROOT, "src", "core"), { recursive: true, encoding: "utf8" });
    const sources = files.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((name) => pattern.test(readFileSync(join(ROOT, "src", "core", name), "utf8")))).toEqual([]);
  });
});

describe.each(named)("the program %s", (id, program) => {
  const { profile } = program;

  it("is found by its id and by each of its commands", () => {
    expect(programFor(id)).toBe(program);
    for (const name of [id, ...profile.programs]) expect(profileFor(name)).toBe(profile);
  });

  it("has a profile of the documented shape, with a key that sends a message, and never Ctrl-C to interrupt", () => {
    expect(profileSchema.safeParse(profile).error).toBeUndefined();
    expect(profile.keys.submit.length).toBeGreaterThan(0);
    expect(profile.keys.interrupt).not.toContain("\u0003");
  });

  it("has traits that agree with its rules and titles", () => {
    const { marksEnd, titleReportsQuietTool = false } = profile.traits;
    const hasEndMark = profile.rules.some(({ fact }) => fact === "ended");
    const hasPromptTitle = profile.titles.some(({ status }) => status === "blocked");
    expect(marksEnd && !hasEndMark).toBe(false);
    expect(titleReportsQuietTool && !hasPromptTitle).toBe(false);
  });

  it("says what an interrupt does to the conversation, and does not claim it if nothing shows its turns", () => {
    expect(typeof profile.traits.keepsInterruptedTurn).toBe("boolean");
    if (profile.versions === null) expect(profile.traits.keepsInterruptedTurn).toBe(false);
  });

  it("gives each rule a unique id, by which a user's profile can name it", () => {
    const ids = profile.rules.map((rule) => rule.id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("gives a reason for each part that it does not have", () => {
    const transcript = partOf(program.transcript);
    const hooks = partOf(program.hooks);
    const parts = [
      program.process,
      program.transcript,
      program.sessionFile,
      program.hooks,
      program.telemetry,
      program.account,
      ...(transcript ? [transcript.sideFiles, transcript.database] : []),
      ...(hooks ? [hooks.http, hooks.plugin] : []),
    ];
    const reasons = parts.flatMap((part) => ("absent" in part ? [part.absent] : []));
    expect(reasons.filter((reason) => !/^\S.{5,}$/.test(reason))).toEqual([]);
  });

  it("has its own command to resume a session", () => {
    const { byId, latest, headless } = profile.resume;
    for (const template of [byId, latest, headless]) {
      if (template === null) continue;
      expect(profile.programs).toContain(template[0]);
      if (template !== latest) expect(template).toContain("{session}");
    }
    expect(headless?.includes("{text}") ?? true).toBe(true);
  });

  it("is recognised by its process, but its other commands are not", () => {
    const rule = partOf(program.process);
    if (!rule) return;
    expect(profile.programs).toContain(rule.name);
    expect(programOf([`/usr/bin/${rule.name}`, "--model", "x"])).toBe(id);
    for (const path of rule.paths) expect(programOf(["x"], `/opt/${path}`)).toBe(id);
    for (const other of rule.others) expect(programOf([rule.name, other])).toBeNull();
    expect(rule.others.size).toBeGreaterThan(0);
  });

  it("reads records of each source that it has, and of no other", async () => {
    const readers = await program.readers();
    for (const make of [readers.transcript, readers.stream]) expect(make(NO_CONTEXT).read({}, 0)).toEqual([]);
    expect(readers.hook === null).toBe(partOf(program.hooks) === null);
    expect(readers.session_file === null).toBe(partOf(program.sessionFile) === null);
  });

  it("has a known place for its records before it wrote anything, if its process is recognised", async () => {
    const transcript = partOf(program.transcript);
    expect(transcript === null).toBe(partOf(program.process) === null);
    if (!transcript) return;
    const located = await transcript.locate(CANDIDATE, NO_FILES);
    expect(located?.root.startsWith(HOME)).toBe(true);
    expect(located?.configFolder.startsWith(HOME)).toBe(true);
    expect(located?.database !== undefined).toBe(partOf(transcript.database) !== null);
    expect(await transcript.locate({ ...CANDIDATE, cwd: null }, NO_FILES)).toMatchObject({ transcript: null });
  });

  it("keeps no session file of a process that wrote none", async () => {
    const part = partOf(program.sessionFile);
    expect((await part?.read(NO_FILES, { configFolder: HOME, pid: 7, startedAt: 0 })) ?? null).toBeNull();
  });

  it("reports no account without evidence", async () => {
    const identify = partOf(program.account);
    expect((await identify?.({ env: new Map(), home: HOME }, async () => null)) ?? null).toBeNull();
  });

  it("adds hooks to empty settings once, and removes exactly those", async () => {
    const hooks = partOf(program.hooks);
    if (!hooks) return;
    expect(hooks.folder({}, HOME).startsWith(HOME)).toBe(true);
    const { edit, pluginState } = await hooks.load();
    const textOf = (text: string, more: object = {}): string => {
      const edited = edit(text, { command: ["rouse"], ...more });
      if (!edited.ok) throw new Error(edited.error);
      return edited.text;
    };
    const added = textOf("");
    expect(added).toContain("rouse");
    expect(added).toContain(id);
    expect(textOf(added)).toBe(added);
    expect(textOf(added, { remove: true }).replace(/[\s{}]/g, "")).toBe("");
    expect(textOf("", { http: { port: 1234, key: "k".repeat(43) } }).includes(":1234/")).toBe(
      partOf(hooks.http) !== null,
    );
    const plugin = partOf(hooks.plugin);
    expect(pluginState(added)).toBe("none");
    if (!plugin) return;
    const withPlugin = textOf(added, { plugin: `/state/${plugin.folder}` });
    expect(pluginState(withPlugin)).toBe("on");
    expect(withPlugin).not.toContain(` hook ${id}`);
    for (const file of plugin.files) expect(existsSync(join(ROOT, "plugin", file))).toBe(true);
  });

  it("names the daemon's address in its telemetry settings", () => {
    const url = "http://127.0.0.1:1234";
    const text = partOf(program.telemetry)?.settings({ url, key: "k", keyFile: "'f'" });
    expect(text ?? url).toContain(url);
  });
});

/** The transcripts of the recordings, with the program that each case names. */
function recordedTranscripts(): { program: string; path: string }[] {
  const cases = join(ROOT, "test", "fixtures", "cases");
  return readdirSync(cases, { recursive: true, encoding: "utf8" })
    .filter((name) => /^transcript-(?:1|db)\.jsonl$/.test(basename(name)))
    .map((name) => ({ program: programNamed(join(cases, dirname(name))), path: join(cases, name) }))
    .filter(({ program }) => partOf(programFor(program).transcript) !== null);
}

const programNamed = (folder: string): string => {
  const { agent } = JSON.parse(readFileSync(join(folder, "meta.json"), "utf8")) as { agent: string };
  return profileFor(agent).id;
};

const recordsIn = (path: string): JsonRecord[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, 50)
    .map(parseRecord)
    .filter((record) => record !== null);
