/** Input fields that several operations share. */
import * as z from "zod";
import { PROBLEMS } from "../../core/incidents/problem.js";

export const agentField = z.string().min(1).max(200).describe("name, session id, or tmux pane id such as %3");
export const tagField = z.string().min(1).max(200);
export const incidentField = z
  .string()
  .min(1)
  .max(200)
  .describe("incident id, its first characters, or the name of an agent with one open incident");
export const requestIdField = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe("any text of yours; a repeated request with the same text does nothing and returns the first response");
/** Time-outs of MCP clients begin at 60 s. */
export const READY_SECONDS = 45;
export const readyField = z
  .number()
  .min(0)
  .max(600)
  .default(READY_SECONDS)
  .describe("seconds to wait until the program is ready for input");
/** In a query string a boolean is a string. */
export const booleanField = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);
export const problemField = z.enum(PROBLEMS).meta({ title: "problem" });

const YEAR_SECS = 366 * 86_400;
export const durationField = z.number().positive().max(YEAR_SECS);

export const timeField = z.union([
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  z.coerce.number().min(0).max(8.64e15),
]);
