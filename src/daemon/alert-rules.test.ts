import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadChannels } from "../config/channels.js";
import { loadConfig } from "../config/load.js";
import { alertRules } from "./alert-rules.js";

let home: string;
const env = (): Record<string, string> => ({ ROUSE_HOME: home });
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "rouse-rules-"));
  mkdirSync(join(home, "config"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (text: string): void => writeFileSync(join(home, "config", "config.toml"), `version = 1\n${text}`);

describe("the alert rules", () => {
  const rules = (alerts: string) => {
    write(`[alerts]\n${alerts}\n[channels.ops]\ntype = "desktop"`);
    const { config } = loadConfig({ env: env(), cwd: home });
    return alertRules(config, loadChannels(env()).channels);
  };

  it("read quiet hours, and fall back to the channel in health.alert_channel if it is set", () => {
    const { rules: made, issues } = rules('quiet_hours = "22:30-07:00"\nquiet_except = "critical"');
    expect(issues).toEqual([]);
    expect(made).toMatchObject({ fallback: "ops", quiet: { from: 1350, to: 420, passes: "critical" } });
  });

  it("report a digest with an invalid schedule", () => {
    expect(rules('digest = "0 8 * * *"').issues).toEqual([]);
    expect(rules('digest = "bla"').issues).toMatchObject([{ where: "alerts.digest" }]);
  });

  it("hold no alert back if the quiet hours are invalid, and report it", () => {
    const { rules: made, issues } = rules('quiet_hours = "at night"\nquiet_except = "huge"');
    expect(made.quiet).toBeNull();
    expect(issues.map(({ where }) => where)).toEqual(["alerts.quiet_except", "alerts.quiet_hours"]);
  });
});
