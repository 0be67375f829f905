/** Reports: an agent's own statement about its state. */
import * as z from "zod";
import { agentField } from "./fields.js";
import { operation } from "./operation.js";

export const REPORTS = {
  report: operation({
    summary: "Report an agent's own state.",
    right: "report",
    fromInside: "itself",
    method: "post",
    path: "/v1/report",
    input: z.object({
      agent: agentField
        .optional()
        .describe(
          "default: the agent that the client runs in, or the only one that its token names; see Tokens and rights",
        ),
      cwd: z
        .string()
        .max(4000)
        .optional()
        .describe("folder of the agent, if no name is given; needs the right report_any"),
      state: z.enum(["working", "error", "complete", "needs_input"]).optional(),
      text: z.string().max(2000).optional(),
      at: z.number().int().min(0).optional().describe("when it was reported, if it was stored meanwhile; milliseconds"),
      heartbeat: z.boolean().optional().describe("proves that the agent is alive, not that it makes progress"),
    }),
    output: z.object({ agent: z.string() }),
    surfaces: { mcp: ["report_status"], library: "report", cli: ["report"] },
    example: { agent: "web", state: "working", text: "step 2 of 5" },
    run: async ({ reports, tasks }, { agent, cwd, ...report }, identity) => {
      const answer = await reports.report({ agent, cwd }, report, identity);
      if (report.state === "complete") await tasks.closeReported(answer.agent, identity);
      return answer;
    },
  }),
} as const;
