/** Which reader reads which source of which program. */
import { ClaudeHookReader } from "./claude/hooks.js";
import { ClaudeSessionFileReader } from "./claude/session-file.js";
import { ClaudeStreamReader } from "./claude/stream.js";
import { ClaudeTranscriptReader } from "./claude/transcript.js";
import { CodexNotifyReader } from "./codex/notify.js";
import { CodexRolloutReader } from "./codex/rollout.js";
import { CodexStreamReader } from "./codex/stream.js";
import { GeminiChatReader } from "./gemini/chat.js";
import { GeminiHookReader } from "./gemini/hooks.js";
import { GeminiStreamReader } from "./gemini/stream.js";
import { GenericRecordReader } from "./generic-records.js";
import { OpenCodeReader } from "./opencode/rows.js";
import type { Place, RecordReader } from "./record-reader.js";

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
