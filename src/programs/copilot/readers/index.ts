import { readers as generic } from "../../generic/readers/index.js";
import type { ProgramReaders } from "../../program.js";
import { CopilotEventReader } from "./events.js";

export const readers: ProgramReaders = {
  transcript: (o) => new CopilotEventReader(o),
  stream: generic.stream,
  hook: null,
  session_file: null,
};
