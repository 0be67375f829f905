import type { ProgramReaders } from "../../program.js";
import { OpenCodeReader } from "./rows.js";

export const readers: ProgramReaders = {
  transcript: (o) => new OpenCodeReader(o),
  stream: (o) => new OpenCodeReader({ ...o, source: "stream" }),
  hook: null,
  session_file: null,
};
