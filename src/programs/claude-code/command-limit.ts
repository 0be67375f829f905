/** How long Claude Code lets a command run that states no time-out: two minutes, or what its user has set. */
import { join } from "node:path";
import { numberAt, stringAt } from "../../readers/records/json.js";
import type { TranscriptPart } from "../transcript.js";

const NAME = "BASH_DEFAULT_TIMEOUT_MS";
const LIMIT_MAX = 7 * 86_400_000;

/** With the longest value that is found, no command that still runs seems to wait for an approval. */
export const commandLimitMs: NonNullable<TranscriptPart["commandLimitMs"]> = async ({ env, home, cwd }, read) => {
  const own = env.get("CLAUDE_CONFIG_DIR") || join(home, ".claude");
  const project = cwd === null ? [] : ["settings.json", "settings.local.json"].map((file) => [cwd, `.claude/${file}`]);
  const files = [[own, "settings.json"], ...project] as [folder: string, file: string][];
  const found = await Promise.all(
    files.map(([folder, file]) =>
      read(folder, file, (record) => stringAt(record, "env", NAME) ?? numberAt(record, "env", NAME)?.toString()),
    ),
  );
  const limits = [env.get(NAME), ...found].map((value) => Number.parseInt(value ?? "", 10)).filter((ms) => ms > 0);
  return limits.length === 0 ? null : Math.min(LIMIT_MAX, Math.max(...limits));
};
