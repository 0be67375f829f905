import type { ProgramReaders } from "../../program.js";
import { GenericRecordReader } from "./records.js";

export const readers: ProgramReaders = {
  transcript: (o) => new GenericRecordReader({ ...o, source: "transcript" }),
  stream: (o) => new GenericRecordReader({ ...o, source: "stream" }),
  hook: null,
  session_file: null,
};
