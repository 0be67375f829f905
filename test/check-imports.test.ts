import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = join(import.meta.dirname, "..", "scripts", "check-imports.mjs");
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-imports-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, ...lines: string[]) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), lines.join("\n"));
}

function check() {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, root], { encoding: "utf8" });
  return { status, stderr };
}

describe("the check of the import direction", () => {
  const wrong: { name: string; file: string; lines: string[]; says: string }[] = [
    {
      name: "refuses an import of a program's profile in core",
      file: "core/judgement/assess.ts",
      lines: ["", 'import { codex } from "../../programs/codex/screens.js";'],
      says: 'src/core/judgement/assess.ts:2: core/judgement imports programs ("../../programs/codex/screens.js"); it may import only itself and core, core/text',
    },
    {
      name: "refuses an import of the command line in a reader",
      file: "readers/terminal/transcript.ts",
      lines: ['export * from "../../cli/main.js";'],
      says: "src/readers/terminal/transcript.ts:1: readers imports cli",
    },
    {
      name: "reports an import over several lines at its last line",
      file: "programs/codex/locate.ts",
      lines: ["import {", "  type Tail,", '} from "../../sensors/transcript/tail.js";'],
      says: "src/programs/codex/locate.ts:3: programs imports sensors",
    },
    {
      name: "refuses an import of a single program in a reader",
      file: "readers/terminal/terminal.ts",
      lines: ['import { codex } from "../../programs/codex/screens.js";'],
      says: 'src/readers/terminal/terminal.ts:1: readers imports programs ("../../programs/codex/screens.js")',
    },
    {
      name: "refuses an import of the parent in a sub-folder with its own row",
      file: "programs/shared/tools.ts",
      lines: ['import { PROGRAMS } from "../registry.js";'],
      says: 'src/programs/shared/tools.ts:1: programs/shared imports programs ("../registry.js"); it may import only itself and core',
    },
    {
      name: "refuses a dynamic import against the direction",
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
      name: "refuses file access in a reader",
      file: "readers/records/lines.ts",
      lines: ['import { readFileSync } from "node:fs";'],
      says: 'src/readers/records/lines.ts:1: readers imports "node:fs"; it has no I/O',
    },
    {
      name: "refuses an import from outside src",
      file: "cli/main.ts",
      lines: ['import "../../test/helper.js";'],
      says: 'src/cli/main.ts:1: "../../test/helper.js" leaves src',
    },
    {
      name: "asks for a row in the table for a new folder",
      file: "kitchen/loop.ts",
      lines: [],
      says: '"kitchen" has no row in the table',
    },
  ];
  for (const { name, file, lines, says } of wrong) {
    it(name, () => {
      write(file, ...lines);
      const { status, stderr } = check();
      expect(stderr).toContain(says);
      expect(status).toBe(1);
    });
  }

  const fine: { name: string; file: string; lines: string[] }[] = [
    {
      name: "permits every import in the command line",
      file: "cli/main.ts",
      lines: ['import { a } from "../core/a.js";', 'import { b } from "../eval/b.js";', 'import fs from "node:fs";'],
    },
    { name: "permits an import within a folder", file: "core/judgement/a.ts", lines: ['import { b } from "./b.js";'] },
    {
      name: "permits an import of programs/shared in a reader",
      file: "readers/records/tool-calls.ts",
      lines: ['import { classifyTool } from "../../programs/shared/tools.js";'],
    },
    {
      name: "permits an import of a program's screens in a reader's test",
      file: "readers/terminal.test.ts",
      lines: ['import { codex } from "../programs/codex/screens.js";'],
    },
    {
      name: "permits packages and test helpers in a test",
      file: "core/a.test.ts",
      lines: ['import { it } from "vitest";', 'import { helper } from "../../test/helper.js";'],
    },
    {
      name: "ignores imports in comments",
      file: "core/a.ts",
      lines: ["/**", ' * import { b } from "../cli/b.js";', " */", '// import("../cli/b.js")'],
    },
  ];
  for (const { name, file, lines } of fine) {
    it(name, () => {
      write(file, ...lines);
      expect(check()).toEqual({ status: 0, stderr: "" });
    });
  }
});

describe("the check for import cycles", () => {
  it("reports two files that import each other, with the line and the way around", () => {
    write("core/a.ts", "", 'import { b } from "./b.js";');
    write("core/b.ts", 'import { a } from "./a.js";');
    const { status, stderr } = check();
    expect(stderr).toBe("src/core/a.ts:2: import cycle: src/core/a.ts -> src/core/b.ts -> src/core/a.ts\n");
    expect(status).toBe(1);
  });

  it("reports a cycle that consists of type imports only", () => {
    write("core/a.ts", 'import type { B } from "./b.js";');
    write("core/b.ts", "import {", "  type A,", '} from "./a.js";');
    expect(check().stderr).toContain("import cycle: src/core/a.ts -> src/core/b.ts -> src/core/a.ts");
  });

  it("reports a cycle that a dynamic import closes", () => {
    write("cli/commands.ts", 'const load = () => import("./commands/run.js");');
    write("cli/commands/run.ts", 'export * from "../commands.js";');
    expect(check().stderr).toContain("src/cli/commands.ts -> src/cli/commands/run.ts -> src/cli/commands.ts");
  });

  it("reports one shortest cycle for a group of files that import each other", () => {
    write("core/a.ts", 'import { b } from "./b.js";', 'import { c } from "./c.js";');
    write("core/b.ts", 'import { c } from "./c.js";');
    write("core/c.ts", 'import { a } from "./a.js";', 'import { b } from "./b.js";');
    expect(check().stderr).toBe("src/core/a.ts:2: import cycle: src/core/a.ts -> src/core/c.ts -> src/core/a.ts\n");
  });

  it("reports separate cycles separately", () => {
    write("core/a.ts", 'import { b } from "./b.js";', 'import { x } from "./text/x.js";');
    write("core/b.ts", 'import { a } from "./a.js";');
    write("core/text/x.ts", 'import { y } from "./y.js";');
    write("core/text/y.ts", 'import { x } from "./x.js";');
    expect(check().stderr.match(/import cycle/g)).toHaveLength(2);
  });

  it("permits a file that two others import", () => {
    write("core/a.ts", 'import { b } from "./b.js";', 'import { c } from "./c.js";');
    write("core/b.ts", 'import { c } from "./c.js";');
    write("core/c.ts", "export const c = 1;");
    expect(check()).toEqual({ status: 0, stderr: "" });
  });
});

describe("the files that show the product in order", () => {
  it.each(["core/step.ts", "daemon/loop.ts"])("src/%s stays under 200 lines", (file) => {
    const text = readFileSync(join(import.meta.dirname, "..", "src", file), "utf8");
    expect(text.trimEnd().split("\n").length).toBeLessThan(200);
  });
});
