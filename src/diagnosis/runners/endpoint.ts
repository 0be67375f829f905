/** A server with OpenAI's chat interface (Ollama, LM Studio, vLLM, a gateway): no program, no tools, no files. */
import { forOutput } from "../../core/text/for-output.js";
import { noAnswer } from "./cage.js";
import type { Runner } from "./runner.js";

export interface EndpointOptions {
  /** Such as http://127.0.0.1:11434. */
  url: string;
  model: string;
  key: string | null;
}

const BODY_MAX = 256 * 1024;

export const endpointRunner = ({ url, model, key }: EndpointOptions): Runner => ({
  name: "endpoint",
  program: null,
  run: async ({ system, user, schema }, { timeoutMs, signal }) => {
    const started = performance.now();
    const took = (): number => Math.round(performance.now() - started);
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${url.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/chat/completions`, {
        method: "POST",
        // A redirect could lead the screens to another host.
        redirect: "error",
        signal: AbortSignal.any([signal, late]),
        headers: { "content-type": "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({
          model,
          stream: false,
          messages: [
            { role: "system", content: system },
            { role: "user", content: user },
          ],
          response_format: { type: "json_schema", json_schema: { name: "diagnosis", strict: true, schema } },
        }),
      });
      const text = await bounded(response);
      if (text === null) return noAnswer(`${hostOf(url)} sent more than ${BODY_MAX / 1024} kB`, took());
      if (!response.ok) return noAnswer(`${hostOf(url)} answered ${response.status}: ${forOutput(text, 200)}`, took());
      const content = contentOf(text);
      return content === null
        ? noAnswer(`${hostOf(url)} did not answer like a chat server`, took())
        : { answer: content, costUsd: null, tookMs: took() };
    } catch (error) {
      if (late.aborted)
        return noAnswer(`${hostOf(url)} did not answer within ${Math.round(timeoutMs / 1000)} s`, took());
      const cause = (error as Error).cause as { code?: string } | undefined;
      return noAnswer(
        `${hostOf(url)} cannot be reached: ${forOutput(cause?.code ?? (error as Error).message, 100)}`,
        took(),
      );
    }
  },
});

async function bounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > BODY_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function contentOf(text: string): string | null {
  try {
    const { choices } = JSON.parse(text) as { choices?: { message?: { content?: unknown } }[] };
    const content = choices?.[0]?.message?.content;
    return typeof content === "string" ? content : null;
  } catch {
    return null;
  }
}

/** The address may hold a password. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "the endpoint");
