import type { SourceSettings } from "../../config/sources.js";
import { beadsSource } from "./beads.js";
import { commandSource } from "./command.js";
import { githubSource } from "./github.js";
import type { Source } from "./source.js";

const KINDS: { [Kind in SourceSettings["kind"]]: (settings: SourceSettings & { kind: Kind }) => Source } = {
  beads: beadsSource,
  github: githubSource,
  command: commandSource,
};

export const makeSource = (settings: SourceSettings): Source => KINDS[settings.kind](settings as never);
