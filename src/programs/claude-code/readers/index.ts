import type { ProgramReaders } from "../../program.js";
import { ClaudeHookReader } from "./hooks.js";
import { ClaudeSessionFileReader } from "./session-file.js";
import { ClaudeStreamReader } from "./stream.js";
import { ClaudeTranscriptReader } from "./transcript.js";

export const readers: ProgramReaders = {
  transcript: (o) => new ClaudeTranscriptReader(o),
  stream: (o) => new ClaudeStreamReader(o),
  hook: (o) => new ClaudeHookReader(o),
  session_file: (o) => new ClaudeSessionFileReader(o),
};
