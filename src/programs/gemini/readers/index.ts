import type { ProgramReaders } from "../../program.js";
import { GeminiChatReader } from "./chat.js";
import { GeminiHookReader } from "./hooks.js";
import { GeminiStreamReader } from "./stream.js";

export const readers: ProgramReaders = {
  transcript: (o) => new GeminiChatReader(o),
  stream: (o) => new GeminiStreamReader(o),
  hook: (o) => new GeminiHookReader(o),
  session_file: null,
};
