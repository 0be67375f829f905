/** `rouse eval` over typical folders: several, the same one twice, with broken recordings and labels. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Figures } from "../../src/eval/bars.js";
import { OWN_CASES } from "../support/recordings.js";
import { rouse } from "../support/rouse.js";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "rouse-eval-"));
  for (const name of ["one/claude/normal", "two/claude/permission", "two/codex/slow-stream"])
    cpSync(join(OWN_CASES, name.slice(4)), join(root, name), { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const folder = (name: string): string => join(root, name);
function scored(...dirs: string[]) {
  const { status, stdout, stderr } = rouse(["eval", "--json", ...dirs]);
  return { status, stderr, live: (JSON.parse(stdout) as Figures).live };
}

function relabel(meta: string, from: string, to: string): void {
  writeFileSync(meta, readFileSync(meta, "utf8").replaceAll(`"${from}"`, `"${to}"`));
}

describe("rouse eval", () => {
  it("scores each given folder once", () => {
    const { status, live } = scored(folder("one"), folder("two"), `${folder("one")}/`);
    expect(status).toBe(0);
    expect(live).toMatchObject({ cases: 3, replayed: 3 });
    expect(live?.states.waiting_permission).toMatchObject({ detected: 1, of: 1 });
    expect(live?.states.done).toMatchObject({ detected: 2, of: 2 });
  });

  it("continues with the other folders if one is invalid, and exits with 1", () => {
    const { status, stderr, live } = scored(folder("nowhere"), folder("one"));
    expect({ status, cases: live?.cases }).toEqual({ status: 1, cases: 1 });
    expect(stderr).toMatch(/^rouse: no such file or folder: .*nowhere\n$/);
  });

  it("counts the problems of an unreadable recording as missed, and exits with 1", () => {
    cpSync(folder("two"), folder("torn"), { recursive: true });
    rmSync(folder("torn/claude/permission/session.cast.gz"), { force: true });
    writeFileSync(folder("torn/claude/permission/session.cast"), "no recording\n");
    const { status, stderr, live } = scored(folder("torn"));
    expect(status).toBe(1);
    expect(stderr).toMatch(/^rouse: .*permission\/session\.cast is not an asciinema recording.*\n$/);
    expect(live).toMatchObject({ cases: 2, replayed: 1 });
    expect(live?.misses).toEqual([expect.objectContaining({ case: "claude/permission", truth: "waiting_permission" })]);
  });

  it("reports the number of unreadable labels", () => {
    cpSync(folder("two"), folder("mislabelled"), { recursive: true });
    const meta = folder("mislabelled/codex/slow-stream/meta.json");
    const labels = JSON.parse(readFileSync(meta, "utf8")) as object;
    writeFileSync(meta, JSON.stringify({ ...labels, timeline: [["0", "starting"]] }));
    const { status, stderr, live } = scored(folder("mislabelled"));
    expect({ status, cases: live?.cases }).toEqual({ status: 0, cases: 1 });
    expect(stderr).toMatch(/^rouse: recordings without a valid label, not scored: 1 \(codex\/slow-stream\)/);
  });

  it("names the cases with an invalid label, and scores the other cases", () => {
    cpSync(folder("two"), folder("misspelt"), { recursive: true });
    relabel(folder("misspelt/claude/permission/meta.json"), "waiting_permission", "waiting_permision");
    const { status, stderr, live } = scored(folder("misspelt"));
    expect({ status, cases: live?.cases }).toEqual({ status: 0, cases: 2 });
    expect(stderr).toBe(
      'rouse: recordings with an invalid label, scored without that stretch: 1 (claude/permission "waiting_permision"); see docs/replay.md\n',
    );
  });

  it.each([[[]], [["--strict"]]])("prints no figures and exits with 1 if nothing is scored %j", (options) => {
    const corpus = mkdtempSync(folder("unlabelled-"));
    cpSync(folder("one"), join(corpus, "live"), { recursive: true });
    writeFileSync(join(corpus, "live/claude/normal/meta.json"), '{"agent": "claude", "t_end": 9}');
    writeFileSync(join(corpus, "peer_cases.jsonl"), '{"id": "a", "events": []}\n');
    writeFileSync(join(corpus, "screens.jsonl"), '{"id": "b", "text": "", "until": 7}\n');
    const { status, stdout, stderr } = rouse(["eval", ...options, corpus]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.match(/not scored: 1 \(.*?\)/g)).toEqual([
      "not scored: 1 (claude/normal)",
      "not scored: 1 (a)",
      "not scored: 1 (b)",
    ]);
    expect(stderr).toContain("rouse: nothing was scored: no case in ");
  });

  it("does not show a part or a bar without cases as good", () => {
    const corpus = mkdtempSync(folder("partly-"));
    cpSync(folder("one"), join(corpus, "live"), { recursive: true });
    writeFileSync(join(corpus, "peer_cases.jsonl"), '{"id": "a", "events": []}\n');
    const { stdout } = rouse(["eval", corpus]);
    expect(stdout).not.toMatch(/^0 event streams/m);
    expect(stdout).toMatch(/event streams: precision.*no cases/);
    expect(stdout).toMatch(/reset times: correct.*no cases/);
  });
});
