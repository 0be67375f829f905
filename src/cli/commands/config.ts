/** `rouse config`: the effective configuration and its origins, its JSON Schema, and the migration of old files. */
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { ShownChannel } from "../../config/channels.js";
import { type ConfigValue, expectedValue, valueOfText } from "../../config/key.js";
import { KEY_BY_NAME } from "../../config/keys.js";
import { type ConfigOrigin, type LoadedConfig, loadConfig } from "../../config/load.js";
import { loadOwnProfiles } from "../../config/own-profiles.js";
import { rousePaths } from "../../config/paths.js";
import { loadPresets, type Preset } from "../../config/presets.js";
import { configSchema } from "../../config/schema.js";
import { loadSources } from "../../config/sources.js";
import { suggestKey } from "../../config/suggest.js";
import { tomlLine } from "../../config/text.js";
import { migrateConfig, replaceConfig } from "../../config/write.js";
import { redact } from "../../core/text/redact.js";
import { sanitize, sanitizedJson } from "../../core/text/sanitize.js";
import { alertSettings } from "../alert-settings.js";
import { permitted } from "../permit.js";
import { reportIssues } from "../settings.js";
import { foldText } from "../text/width.js";
import { WrongOption } from "../wrong-option.js";

const LINE_MAX = 10_000;

export function addConfig(program: Command, setExit: (code: number) => void): void {
  const config = program.command("config").summary("Show, check and migrate the configuration");
  config
    .command("show")
    .summary("Print the effective configuration of this folder")
    .description(
      "Print the effective configuration of this folder: defaults, then your file, then .rouse.toml files from the\n" +
        "root down to this folder (they can only restrict), then ROUSE_* variables, then --set.",
    )
    .option("--origin", "show the origin of each value")
    .option("--json", "print JSON")
    .option("--set <key=value>", "override a value; repeatable", parseSet)
    .action((options) => {
      const loaded = withoutPassword(loadConfig({ flags: options.set ?? {} }));
      const alerts = alertSettings(loaded);
      const { presets, issues: ofPresets } = loadPresets();
      const { sources, issues: ofSources } = loadSources();
      const issues = [...loaded.issues, ...alerts.issues, ...ofPresets, ...ofSources, ...loadOwnProfiles().issues];
      if (options.json) {
        const { config: values, origins } = loaded;
        const channels = Object.fromEntries(
          Object.entries(alerts.shown).map(([name, { settings }]) => [name, settings]),
        );
        const shown = {
          config: values,
          channels,
          presets: Object.fromEntries(
            [...presets].map(([name, { harness, description, command }]) => [name, { harness, description, command }]),
          ),
          sources: Object.fromEntries(sources.map(({ name, ...settings }) => [name, settings])),
          ...(options.origin ? { origins } : {}),
          issues,
        };
        process.stdout.write(`${sanitizedJson(shown, 2)}\n`);
      } else {
        const withOrigin = options.origin === true;
        process.stdout.write(
          configLines(loaded, withOrigin) +
            tableLines("channels", Object.entries(alerts.shown), withOrigin) +
            tableLines("presets", [...presets].map(shownPreset), withOrigin),
        );
        reportIssues(issues);
      }
      if (issues.some(({ level }) => level === "error")) setExit(1);
    });
  config
    .command("schema")
    .summary("Print the JSON Schema of the configuration file")
    .description("Print the JSON Schema of the configuration file, for editors.")
    .action(() => {
      process.stdout.write(`${JSON.stringify(configSchema(), null, 2)}\n`);
    });
  config
    .command("migrate")
    .summary("Rewrite the configuration file in the current format")
    .description("Rewrite your configuration file in the current format and keep the old file beside it.")
    .option("--dry-run", "print the new file without writing it")
    .action(async ({ dryRun = false }) => {
      const path = join(rousePaths().config, "config.toml");
      const run = (): number => migrate(path, dryRun);
      setExit(dryRun ? run() : await permitted("local_config", { text: "migrate" }, [path], run));
    });
}

/** The hub's address contains one. */
function withoutPassword(loaded: LoadedConfig): LoadedConfig {
  const { hub, ...rest } = loaded.config;
  return { ...loaded, config: { ...rest, hub: { ...hub, url: redact(hub.url) } } };
}

function migrate(path: string, dry: boolean): number {
  const { text, issues, hasComments } = migrateConfig(path);
  reportIssues(issues);
  const hasFailed = issues.some(({ level }) => level === "error");
  if (hasFailed)
    process.stderr.write(foldText(`rouse: ${path}: not changed; fix these errors first\n`, process.stderr));
  else if (text === null) process.stdout.write(`${path}: nothing to migrate\n`);
  else if (dry) process.stdout.write(text);
  else process.stdout.write(rewrittenText(path, replaceConfig(path, text), hasComments));
  return hasFailed ? 1 : 0;
}

const rewrittenText = (path: string, kept: string, hasComments: boolean): string =>
  `Rewrote ${path}; the old file is ${kept}${hasComments ? " (your comments are only there)" : ""}\n`;

function configLines({ config, origins }: LoadedConfig, withOrigin: boolean): string {
  const sections = Object.entries<Record<string, ConfigValue>>(config).map(([section, keys]) => {
    const lines = Object.entries(keys).map(([name, value]) => {
      const line = sanitize(tomlLine(name, value), LINE_MAX);
      const full = `${section}.${name}`;
      const origin = origins[full];
      const unset = origin?.layer === "default" ? KEY_BY_NAME.get(full)?.unset : undefined;
      if (unset !== undefined) return `${line.padEnd(44)} # ${withOrigin ? "default; " : ""}not set: ${unset}`;
      return withOrigin && origin ? `${line.padEnd(44)} # ${sanitize(originText(origin))}` : line;
    });
    return `[${section}]\n${lines.join("\n")}\n`;
  });
  return sections.join("\n");
}

function shownPreset([name, { harness, description, command, ...place }]: [string, Preset]): [string, ShownChannel] {
  return [name, { settings: { harness, ...(description === "" ? {} : { description }), command }, ...place }];
}

/** The tables of the user's own file. */
function tableLines(section: string, shown: readonly [string, ShownChannel][], withOrigin: boolean): string {
  return shown
    .map(([name, { settings, ...origin }]) => {
      const head = `[${section}.${name}]`;
      const remark = withOrigin ? ` # ${sanitize(originText({ layer: "user", ...origin }))}` : "";
      const lines = Object.entries(settings).map(([key, value]) => sanitize(tomlLine(key, value), LINE_MAX));
      return `\n${remark === "" ? head : head.padEnd(44) + remark}\n${lines.join("\n")}\n`;
    })
    .join("");
}

function originText({ layer, where, position }: ConfigOrigin): string {
  if (layer === "default") return "default";
  return `${layer}: ${where}${position ? `:${position.line}` : ""}`;
}

function parseSet(given: string, before: Record<string, string> = {}): Record<string, string> {
  const equals = given.indexOf("=");
  const name = given.slice(0, equals).trim();
  if (equals < 1) throw new InvalidArgumentError("It must be key=value, such as watchdog.poll_interval_secs=10.");
  const key = KEY_BY_NAME.get(name);
  if (!key) {
    const near = suggestKey(name, KEY_BY_NAME.keys());
    const hint = near ? `did you mean ${near}?` : "`rouse config show` lists them.";
    throw new InvalidArgumentError(`Unknown key "${name}"; ${hint}`);
  }
  const value = given.slice(equals + 1);
  if (valueOfText(key, value) === undefined)
    throw new WrongOption(`--set ${sanitize(given, 200)}: expected ${expectedValue(key)}`);
  return { ...before, [name]: value };
}
