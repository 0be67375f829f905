import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ORIGINS } from "../core/agent.js";
import { Permission, type PermissionRequest } from "./permission.js";

const NOW = 1_000_000;
const HOUR = 3_600_000;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rouse-allow-"));
  path = join(folder, "allow.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

const request = (agents: PermissionRequest["agents"], rest: Partial<PermissionRequest> = {}): PermissionRequest => ({
  agents,
  allowed: true,
  except: [],
  until: null,
  ...rest,
});

/** The sessions that rouse may act on; `api` is the agent that is named. */
function may(wishes: readonly PermissionRequest[], at: number = NOW, about: "api" | "rate_limited" = "api"): string {
  const permission = new Permission(path);
  for (const one of wishes) permission.take(one, NOW);
  const names = ["api", "web"].flatMap((name) =>
    ORIGINS.filter((origin) => permission.isAllowed({ name, origin }, about, at)).map((origin) => `${name}/${origin}`),
  );
  return names.join(" ");
}

const API = "api/run api/spawn api/tmux api/transcript api/report";

describe("the set of agents that rouse may act on", () => {
  it.each<[string, readonly PermissionRequest[], string]>([
    ["empty at first", [], ""],
    [
      "all: agents that rouse started, and none that it only watches",
      [request("all")],
      "api/run api/spawn web/run web/spawn",
    ],
    ["a name: that agent, of any origin", [request(["api"])], API],
    ["all and a name", [request("all"), request(["api"])], `${API} web/run web/spawn`],
    ["all except one", [request("all"), request(["api"], { allowed: false })], "web/run web/spawn"],
    ["all except one, in either order", [request(["api"], { allowed: false }), request("all")], "web/run web/spawn"],
    [
      "empty after all permissions were revoked, including named ones",
      [request("all"), request(["api"]), request("all", { allowed: false })],
      "",
    ],
    [
      "a name that is permitted again after it was revoked",
      [request(["api"], { allowed: false }), request(["api"])],
      API,
    ],
  ])("is %s", (_, wishes, names) => {
    expect(may(wishes)).toBe(names);
  });

  it("applies for its duration; then the setting for all agents applies again", () => {
    const brief = [request("all"), request(["api"], { allowed: false, until: NOW + HOUR })];
    expect(may(brief, NOW + HOUR - 1)).toBe("web/run web/spawn");
    expect(may(brief, NOW + HOUR)).toBe("api/run api/spawn web/run web/spawn");
    expect(may([request("all", { until: NOW + HOUR })], NOW + HOUR)).toBe("");
  });

  it("leaves out only the excepted problem", () => {
    const wishes = [request(["api"], { except: ["rate_limited"] })];
    expect(may(wishes, NOW, "rate_limited")).toBe("");
    expect(may(wishes)).toBe(API);
  });
});

describe("a permission", () => {
  it("is kept across restarts, in a file that only the user can read", () => {
    new Permission(path).take(request(["api"]), NOW);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(new Permission(path).isAllowed({ name: "api", origin: "tmux" }, "api", NOW)).toBe(true);
  });

  it.each(["", "{", "[]", '{"all":{"allowed":true},"agents":{}}', '{"all":null,"agents":{"api":true}}'])(
    "is not given if the file contains %j, and rouse reports the error",
    (text) => {
      writeFileSync(path, text);
      const permission = new Permission(path);
      expect(permission.loadError).toContain("auto-recovery is off");
      expect(permission.isAllowed({ name: "api", origin: "spawn" }, "api", NOW)).toBe(false);
    },
  );

  it("of a named agent moves with the agent when it is renamed", () => {
    const permission = new Permission(path);
    permission.take(request(["api"]), NOW);
    permission.rename("constructor", "web");
    permission.rename("api", "web");
    const may = (name: string): boolean => new Permission(path).isAllowed({ name, origin: "tmux" }, "api", NOW);
    expect(["api", "web"].map(may)).toEqual([false, true]);
  });

  it("does not change when it cannot be stored", () => {
    const permission = new Permission(join(folder, "missing", "allow.json"));
    expect(() => permission.take(request("all"), NOW)).toThrow(/ENOENT/);
    expect(permission.isAllowed({ name: "api", origin: "spawn" }, "api", NOW)).toBe(false);
  });
});
