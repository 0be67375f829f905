import { canonicalJson } from "../../core/digest.js";
import { stringAt } from "./json.js";

const PREVIEW_MAX = 200;
const RESULT_MAX = 65_536;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]+/g;

/** The head of a text on one line, without control bytes: safe to store and to print. */
export function textHead(text: string, max: number = PREVIEW_MAX): string {
  return text
    .slice(0, max * 2)
    .replace(CONTROLS, " ")
    .trim()
    .slice(0, max);
}

/** The tail of a text: an answer ends with its conclusion. */
export function textTail(text: string, max: number = PREVIEW_MAX): string {
  return text
    .slice(-max * 2)
    .replace(CONTROLS, " ")
    .trim()
    .slice(-max);
}

const TEXT_KEYS = ["text", "content", "output", "stdout", "message", "error", "result", "response"] as const;
const DEPTH_MAX = 8;

/** The text of a message or result in any of the usual shapes: a string, blocks, or a record with a text field. */
export function contentText(content: unknown, depth = 0): string {
  if (typeof content === "string") return content;
  if (depth > DEPTH_MAX || typeof content !== "object" || content === null) return "";
  if (Array.isArray(content)) {
    return content
      .map((part) => contentText(part, depth + 1))
      .filter((part) => part !== "")
      .join("\n");
  }
  const key = TEXT_KEYS.find((name) => Object.hasOwn(content, name));
  if (key === undefined) return "";
  const own = contentText((content as Record<string, unknown>)[key], depth + 1);
  const stderr = key === "stdout" ? stringAt(content, "stderr") : undefined;
  return stderr === undefined || stderr === "" ? own : `${own}\n${stderr}`;
}

/** The text of a tool's result. A result without text, such as an image, is identified by its JSON. */
export function resultText(content: unknown): string {
  const text = contentText(content);
  return text !== "" || typeof content !== "object" || content === null
    ? text
    : canonicalJson(content).slice(0, RESULT_MAX);
}
