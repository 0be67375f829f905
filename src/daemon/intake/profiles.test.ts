import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profileFor } from "../../programs/registry.js";
import { Profiles } from "./profiles.js";

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), "rouse-profiles-"));
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

const put = (name: string, text: string): void => {
  mkdirSync(join(config, "profiles"), { recursive: true });
  writeFileSync(join(config, "profiles", name), text);
};

describe("the profiles that the daemon knows", () => {
  it("are the built-in ones if the user has none", () => {
    expect(new Profiles(config).of("codex")).toBe(profileFor("codex"));
  });

  it("follow changes of the user's files without a restart", () => {
    const profiles = new Profiles(config);
    expect(profiles.of("sketch").id).toBe("generic");
    put("sketch.toml", 'id = "sketch"\nmessage = "^> "');
    expect(profiles.of("sketch")).toMatchObject({ id: "sketch", message: "^> " });
    put("sketch.toml", 'id = "sketch"\nmessage = "^>> "');
    expect(profiles.of("sketch").message).toBe("^>> ");
    rmSync(join(config, "profiles", "sketch.toml"));
    expect(profiles.of("sketch").id).toBe("generic");
  });

  it("leave out a file while it is invalid", () => {
    put("sketch.toml", 'id = "sketch"');
    put("other.toml", 'id = "other"');
    symlinkSync("circle.json", join(config, "profiles", "circle.json"));
    const profiles = new Profiles(config);
    expect(profiles.issues).toMatchObject([{ where: join(config, "profiles", "circle.json") }]);
    put("sketch.toml", 'id = "sketch');
    expect(profiles.own()).toEqual([{ id: "other" }]);
    put("sketch.toml", 'id = "sketch"');
    expect(profiles.of("sketch").id).toBe("sketch");
  });
});
