/**
 * An endless session as signals: the signals of a stream, a transcript and a screen for a working agent, step by step.
 */
import { digest } from "../dist/core/digest.js";

const STEP_MS = 900;

/** One step of the session: the signals that come together, after which a replay judges once. */
export function step(n) {
  const at = 1_700_000_000_000 + n * STEP_MS;
  const id = `call-${n}`;
  const subject = `src/part-${n % 97}.ts`;
  const stream = { at, source: "stream" };
  switch (n % 8) {
    case 0:
      return [
        { ...stream, kind: "request" },
        { ...stream, kind: "delta", channel: "thought", chars: 40 },
      ];
    case 1:
      return [
        { ...stream, kind: "delta", channel: "content", chars: 60 },
        { ...stream, kind: "tokens", input: 900, output: 60 },
      ];
    case 2:
      return [
        {
          ...stream,
          kind: "tool_start",
          id,
          tool: n % 3 ? "Read" : "Edit",
          class: n % 3 ? "instant" : "edit",
          call: digest(`${subject} ${n % 31}`),
          subject,
          after: digest(`after ${n}`),
          round: `round-${n >> 3}`,
        },
      ];
    case 3:
      return [
        {
          ...stream,
          kind: "tool_end",
          id: `call-${n - 1}`,
          ok: n % 50 !== 3,
          outcome: digest(`outcome ${n % 4001}`),
          raw: digest(`raw ${n}`),
          preview: "12 lines",
        },
      ];
    case 4:
      return [screen(n, at), { at, source: "screen", kind: "output", bytes: 900 }];
    case 5:
      return [{ at, source: "transcript", kind: "message", role: "assistant", digest: digest(`message ${n}`) }];
    case 6:
      return [
        { at, source: "process", kind: "process", alive: true, children: 1, cpuMs: n * 7 },
        { at, source: "workspace", kind: "file", path: subject, digest: digest(`file ${n}`) },
      ];
    default:
      return [screen(n, at)];
  }
}

function screen(n, at) {
  const reading = {
    reply: digest(`reply ${n}`),
    lastLine: digest(`line ${n}`),
    busy: true,
    moving: true,
    tokens: n,
    elapsed: n % 600,
    composer: "empty",
    tail: ["a line of the reply"],
  };
  return { at, source: "screen", kind: "screen", reading };
}
