/**
 * The presets of the user's own file: `[presets.NAME]`, a program (harness) with its model, for `rouse spawn --preset NAME`.
 * A preset names a program that rouse knows and never a command, and a project file may not define any: an agent can
 * write there.
 */
import { join } from "node:path";
import * as z from "zod";
import { partOf } from "../programs/part.js";
import { PROGRAMS } from "../programs/registry.js";
import type { ConfigIssue } from "./issue.js";
import { rousePaths } from "./paths.js";
import type { Position } from "./positions.js";
import { otherNames } from "./suggest.js";
import { tablesOf } from "./tables.js";

export interface Preset {
  harness: string;
  description: string;
  /** The program and its arguments. */
  command: string[];
  where: string;
  position?: Position | undefined;
}

export interface LoadedPresets {
  presets: ReadonlyMap<string, Preset>;
  issues: ConfigIssue[];
}

const schema = z.strictObject({
  harness: z.string().min(1).max(100),
  description: z.string().max(500).default(""),
  config: z
    .strictObject({
      /** Never the start of an option. */
      model: z
        .string()
        .regex(/^[A-Za-z0-9][-A-Za-z0-9_.:/@[\]]{0,99}$/, "must be the name of a model")
        .optional(),
      dangerously_skip_permissions: z.boolean().optional(),
    })
    .default({}),
});

/** For editors. */
export const presetSchema = (): object => ({ ...z.toJSONSchema(schema, { io: "input" }), $schema: undefined });

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const PRESETS_MAX = 50;
const MODEL = "--model";
const SKIP = "dangerously_skip_permissions";
/** The command of each program, and whether it takes a model, by its id and by its command. */
const HARNESSES: ReadonlyMap<string, { program: string; takesModel: boolean }> = new Map(
  PROGRAMS.flatMap(({ profile, process }) => {
    const rule = partOf(process);
    const takesModel = profile.resume.options.values.includes(MODEL);
    return rule ? [rule.name, profile.id].map((name) => [name, { program: rule.name, takesModel }] as const) : [];
  }),
);

/** An invalid preset is reported and not used; the others are. */
export function loadPresets(env: Readonly<Record<string, string | undefined>> = process.env): LoadedPresets {
  const where = join(rousePaths(env).config, "config.toml");
  const { tables, positionOf } = tablesOf(where, "presets");
  const presets = new Map<string, Preset>();
  const issues: ConfigIssue[] = [];
  for (const [name, table] of Object.entries(tables).slice(0, PRESETS_MAX)) {
    const report = (level: ConfigIssue["level"], text: string, at: readonly PropertyKey[] = []): void => {
      const position = positionOf(["presets", name, ...at.map(String)]);
      issues.push({ level, where, position, text: `presets.${name.slice(0, 80)}${text}` });
    };
    const parsed = NAME.test(name) ? schema.safeParse(table) : null;
    if (parsed === null) report("error", ": the name must have up to 63 letters, digits, - and _; it is not used");
    else if (!parsed.success)
      report("error", `${issueText(parsed.error)}; it is not used`, parsed.error.issues[0]?.path);
    else {
      const { harness, description, config } = parsed.data;
      const known = HARNESSES.get(harness);
      if (!known) {
        report("error", `.harness: unknown program; ${otherNames(harness, [...HARNESSES.keys()])}`, ["harness"]);
        continue;
      }
      if (config.model !== undefined && !known.takesModel)
        report("error", `.config.model: rouse cannot set the model of ${known.program}; the preset runs without it`, [
          "config",
          "model",
        ]);
      if (config.dangerously_skip_permissions)
        report("refused", `.config.${SKIP}: rouse passes no option that skips permissions; allow the tools instead`, [
          "config",
          SKIP,
        ]);
      const model = config.model === undefined || !known.takesModel ? [] : [MODEL, config.model];
      const position = positionOf(["presets", name]);
      presets.set(name, { harness, description, command: [known.program, ...model], where, position });
    }
  }
  return { presets, issues };
}

/** The command of a preset followed by more arguments, or why there is none. */
export function presetCommand(name: string, more: readonly string[]): { command: string[] } | { problem: string } {
  const { presets } = loadPresets();
  const preset = presets.get(name);
  if (preset) return { command: [...preset.command, ...more] };
  const others =
    presets.size === 0
      ? "no preset is configured; add [presets.NAME] to your configuration"
      : otherNames(name, [...presets.keys()]);
  return { problem: `unknown preset ${JSON.stringify(name.slice(0, 80))}; ${others}` };
}

function issueText({ issues: [issue] }: z.ZodError): string {
  if (issue?.code === "unrecognized_keys") return `: unknown setting ${issue.keys.join(", ").slice(0, 100)}`;
  const at = issue?.path.join(".") ?? "";
  return `${at === "" ? "" : `.${at}`}: ${issue?.message ?? "it is not valid"}`;
}
