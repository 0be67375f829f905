import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentsDiff, applyAgents, planAgents } from "../setup/agents.js";
import { REPORT_STATES } from "./commands/report.js";

const SECTION = readFileSync(join(import.meta.dirname, "..", "..", "examples", "agents-md", "AGENTS.md"), "utf8");
let folder: string;
const path = (): string => join(folder, "AGENTS.md");
const text = (): string => readFileSync(path(), "utf8");
const install = (): string => applyAgents(planAgents(folder, false));
const remove = (): string => applyAgents(planAgents(folder, true));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse agents-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("rouse init agents-md", () => {
  it("creates AGENTS.md once, and removes a file that holds nothing else", () => {
    expect(agentsDiff(planAgents(folder, false))).toContain("+## Reporting to rouse");
    expect(existsSync(path())).toBe(false);
    expect(install()).toBe(`${path()} created\n`);
    expect(text()).toBe(SECTION);
    expect(install()).toBe(`${path()}: nothing to do\n`);
    expect(remove()).toBe(`${path()} removed\n`);
    expect(readdirSync(folder)).toEqual([]);
    expect(remove()).toBe(`${path()}: nothing to do\n`);
  });

  it.each([
    ["ends with a line break", "# Mine\n\nBe kind.\n"],
    ["ends without a line break", "# Mine"],
    ["ends with empty lines", "# Mine\n\n\n"],
    ["has Windows line breaks", "# Mine\r\nBe kind.\r\n"],
  ])("adds its section after the existing text and restores the file on removal if the text %s", (_, before) => {
    writeFileSync(path(), before);
    install();
    expect(text().startsWith(before)).toBe(true);
    expect(text().replaceAll("\r\n", "\n")).toContain(SECTION);
    remove();
    expect(text()).toBe(before);
    expect(readdirSync(folder)).toEqual(["AGENTS.md"]);
  });

  it.each([
    ["Latin-1", Buffer.from("# F\xfcr alle\n", "latin1")],
    ["a UTF-8 byte order mark", Buffer.from("\ufeff# Mine\n", "utf8")],
    ["broken UTF-8 without a final line break", Buffer.from([0x23, 0xf0, 0x9f, 0x0a, 0xc3])],
  ])("restores a file with %s byte for byte when it removes its section", (_, before) => {
    writeFileSync(path(), before);
    install();
    expect(readFileSync(path()).subarray(0, before.length)).toEqual(before);
    expect(readFileSync(path()).includes(SECTION)).toBe(true);
    remove();
    expect(readFileSync(path())).toEqual(before);
  });

  it.each([
    ["a picture", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x00, 0x01])],
    ["UTF-16", Buffer.from("# Mine\n", "utf16le")],
  ])("refuses %s, which is not a text file", (_, before) => {
    writeFileSync(path(), before);
    expect(planAgents(folder, false).error).toBe(
      `${path()}: not a text file (contains null bytes); nothing was changed`,
    );
  });

  it("does not join the lines around a removed section", () => {
    writeFileSync(path(), `# Above\n${SECTION}# Below`);
    remove();
    expect(text()).toBe("# Above\n# Below");
  });

  it("replaces an old section in place", () => {
    const old = "<!-- rouse: begin (old) -->\nold words\n<!-- rouse: end -->\n";
    writeFileSync(path(), `# Above\n\n${old}\n# Below\n`);
    install();
    expect(text()).toBe(`# Above\n\n${SECTION}\n# Below\n`);
    remove();
    expect(text()).toBe("# Above\n\n# Below\n");
  });

  it.each(["<!-- rouse: begin -->\n", "<!-- rouse: end -->\n", `${SECTION}${SECTION}`])(
    "changes nothing if the section marks are incomplete or duplicated: %j",
    (before) => {
      writeFileSync(path(), before);
      expect(planAgents(folder, false).error).toContain("nothing was changed");
    },
  );

  it("follows a link to a file in the same folder, but none to another folder", () => {
    const project = join(folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "CLAUDE.md"), "# Mine\n");
    symlinkSync("CLAUDE.md", join(project, "AGENTS.md"));
    applyAgents(planAgents(project, false));
    expect(readFileSync(join(project, "CLAUDE.md"), "utf8")).toContain(SECTION);
    rmSync(join(project, "AGENTS.md"));
    writeFileSync(join(folder, "secret"), "x");
    symlinkSync("../secret", join(project, "AGENTS.md"));
    expect(planAgents(project, false).error).toContain("a link to another folder");
  });

  it("uses only states that can be reported, in the section and in the docs", () => {
    const states = [...SECTION.matchAll(/rouse report ([a-z_]+) /g)].map(([, state]) => state);
    expect(new Set(states)).toEqual(new Set(REPORT_STATES));
    const docs = readFileSync(join(import.meta.dirname, "..", "..", "docs", "orchestrators.md"), "utf8");
    expect(docs).toContain(SECTION.trimEnd());
  });
});
