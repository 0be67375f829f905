import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "..", "scripts", "check-imports.mjs");
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-imports-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function check(file: string, ...lines: string[]) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), lines.join("\n"));
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, root], { encoding: "utf8" });
  return { status, stderr };
}

describe("the import direction", () => {
  const wrong: { name: string; file: string; lines: string[]; says: string }[] = [
    {
      name: "refuses core that reads an agent's profile",
      file: "core/judgement/assess.ts",
      lines: ["", 'import { codex } from "../../programs/codex/screens.js";'],
      says: 'src/core/judgement/assess.ts:2: core/judgement imports programs ("../../programs/codex/screens.js"); it may import only itself and core, core/text',
    },
    {
      name: "refuses a reader that knows the command line",
      file: "readers/terminal/transcript.ts",
      lines: ['export * from "../../cli/main.js";'],
      says: "src/readers/terminal/transcript.ts:1: readers imports cli",
    },
    {
      name: "sees the end of an import over several lines",
      file: "programs/codex/locate.ts",
      lines: ["import {", "  type Tail,", '} from "../../sensors/transcript/tail.js";'],
      says: "src/programs/codex/locate.ts:3: programs imports sensors",
    },
    {
      name: "refuses a reader that knows one program",
      file: "readers/terminal/terminal.ts",
      lines: ['import { codex } from "../../programs/codex/screens.js";'],
      says: 'src/readers/terminal/terminal.ts:1: readers imports programs ("../../programs/codex/screens.js")',
    },
    {
      name: "refuses a sub-folder with its own row that imports its parent",
      file: "programs/shared/tools.ts",
      lines: ['import { PROGRAMS } from "../registry.js";'],
      says: 'src/programs/shared/tools.ts:1: programs/shared imports programs ("../registry.js"); it may import only itself and core',
    },
    {
      name: "sees a dynamic import",
      file: "eval/live.ts",
      lines: ['const main = await import("../cli/main.js");'],
      says: "src/eval/live.ts:1: eval imports cli",
    },
    {
      name: "refuses any package in core",
      file: "core/signal.ts",
      lines: ['import * as z from "zod";'],
      says: 'src/core/signal.ts:1: core imports "zod"; it may import no package',
    },
    {
      name: "refuses files in a reader",
      file: "readers/records/lines.ts",
      lines: ['import { readFileSync } from "node:fs";'],
      says: 'src/readers/records/lines.ts:1: readers imports "node:fs"; it has no I/O',
    },
    {
      name: "refuses a source that reaches out of src",
      file: "cli/main.ts",
      lines: ['import "../../test/helper.js";'],
      says: 'src/cli/main.ts:1: "../../test/helper.js" leaves src',
    },
    {
      name: "asks for a row for a new folder",
      file: "kitchen/loop.ts",
      lines: [],
      says: '"kitchen" has no row in the table',
    },
  ];
  for (const { name, file, lines, says } of wrong) {
    it(name, () => {
      const { status, stderr } = check(file, ...lines);
      expect(stderr).toContain(says);
      expect(status).toBe(1);
    });
  }

  const fine: { name: string; file: string; lines: string[] }[] = [
    {
      name: "lets the command line import everything",
      file: "cli/main.ts",
      lines: ['import { a } from "../core/a.js";', 'import { b } from "../eval/b.js";', 'import fs from "node:fs";'],
    },
    {
      name: "lets a folder import itself",
      file: "core/judgement/evidence/a.ts",
      lines: ['import { b } from "../b.js";'],
    },
    {
      name: "lets a reader import what all programs share",
      file: "readers/records/tool-calls.ts",
      lines: ['import { classifyTool } from "../programs/shared/tools.js";'],
    },
    {
      name: "lets a reader's test use a program's screens as data",
      file: "readers/terminal.test.ts",
      lines: ['import { codex } from "../programs/codex/screens.js";'],
    },
    {
      name: "lets a test use packages and test helpers",
      file: "core/a.test.ts",
      lines: ['import { it } from "vitest";', 'import { helper } from "../../test/helper.js";'],
    },
    {
      name: "does not read comments",
      file: "core/a.ts",
      lines: ["/**", ' * import { b } from "../cli/b.js";', " */", '// import("../cli/b.js")'],
    },
  ];
  for (const { name, file, lines } of fine) {
    it(name, () => expect(check(file, ...lines)).toEqual({ status: 0, stderr: "" }));
  }
});
