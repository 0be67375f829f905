/** Which reader reads which source of which program. */

import type { Place, RecordReader } from "../readers/record-reader.js";
import { ClaudeHookReader } from "./claude-code/readers/hooks.js";
import { ClaudeSessionFileReader } from "./claude-code/readers/session-file.js";
import { ClaudeStreamReader } from "./claude-code/readers/stream.js";
import { ClaudeTranscriptReader } from "./claude-code/readers/transcript.js";
import { CodexNotifyReader } from "./codex/readers/notify.js";
import { CodexRolloutReader } from "./codex/readers/rollout.js";
import { CodexStreamReader } from "./codex/readers/stream.js";
import { GeminiChatReader } from "./gemini/readers/chat.js";
import { GeminiHookReader } from "./gemini/readers/hooks.js";
import { GeminiStreamReader } from "./gemini/readers/stream.js";
import { GenericRecordReader } from "./generic/readers/records.js";
import { OpenCodeReader } from "./opencode/readers/rows.js";

/** Whoever reads for real says where: a zone that is left out is hours off, and nobody notices. */
type Make = (place: Place) => RecordReader;

interface ProgramReaders {
  transcript: Make;
  stream: Make;
  hook: Make | null;
  session_file: Make | null;
}

const READERS: Readonly<Record<string, ProgramReaders>> = {
  "claude-code": {
    transcript: (o) => new ClaudeTranscriptReader(o),
    stream: (o) => new ClaudeStreamReader(o),
    hook: (o) => new ClaudeHookReader(o),
    session_file: (o) => new ClaudeSessionFileReader(o),
  },
  codex: {
    transcript: (o) => new CodexRolloutReader(o),
    stream: (o) => new CodexStreamReader(o),
    hook: (o) => new CodexNotifyReader(o),
    session_file: null,
  },
  gemini: {
    transcript: (o) => new GeminiChatReader(o),
    stream: (o) => new GeminiStreamReader(o),
    hook: (o) => new GeminiHookReader(o),
    session_file: null,
  },
  opencode: {
    transcript: (o) => new OpenCodeReader(o),
    stream: (o) => new OpenCodeReader({ ...o, source: "stream" }),
    hook: null,
    session_file: null,
  },
};

const GENERIC: ProgramReaders = {
  transcript: (o) => new GenericRecordReader({ ...o, source: "transcript" }),
  stream: (o) => new GenericRecordReader({ ...o, source: "stream" }),
  hook: null,
  session_file: null,
};

/** Readers by the id of the program's profile; the generic ones for any other. */
export function readersFor(profileId: string): ProgramReaders {
  return READERS[profileId] ?? GENERIC;
}
