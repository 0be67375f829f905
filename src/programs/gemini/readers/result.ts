/** Results of Gemini CLI's tools in its chat file and its event stream. */
import { arrayAt, recordAt } from "../../../readers/records/json.js";
import { resultText } from "../../../readers/records/text.js";
import type { ToolResult } from "../../../readers/records/tool-calls.js";

/** Lines that its shell tool adds and that differ in every run. */
const RUN_LINES = /^(?:Process Group PGID|Background PIDs): .*$/gm;
const EXIT_CODE = /^Exit Code: (\d{1,3})$/m;
const REFUSED = /did not allow|denied|declined|rejected/i;

/** Gemini CLI reports a failed shell command as `success`: only the exit code in the text shows the failure. */
export function geminiResult(status: string, result: unknown): ToolResult {
  const text = geminiText(result);
  const exitCode = Number(EXIT_CODE.exec(text.slice(-500))?.[1] ?? 0);
  const isCancelled = status === "cancelled";
  const refused = isCancelled && REFUSED.test(text.slice(0, 300));
  return {
    ok: status === "success" && exitCode === 0,
    text,
    stable: text.replace(RUN_LINES, ""),
    refused,
    interrupted: isCancelled && !refused,
  };
}

/** The text of a result, which may be wrapped into `functionResponse` parts. */
export function geminiText(result: unknown): string {
  const responses = arrayAt({ result }, "result").flatMap(
    (part) => recordAt(part, "functionResponse", "response") ?? [],
  );
  return resultText(responses.length > 0 ? responses : result);
}
