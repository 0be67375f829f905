import { describe, expect, it } from "vitest";
import { profileFor } from "../programs/registry.js";
import { foldRecording } from "./fold.js";
import { fromArray, type RecordedInput } from "./inputs.js";

const bytes = (t: number, text: string): RecordedInput => ({ t, kind: "bytes", bytes: new TextEncoder().encode(text) });
const keys = (t: number, text: string): RecordedInput => ({ t, kind: "keys", text });
const end = (t: number): RecordedInput => ({ t, kind: "end" });

/** The verdicts with their seconds. */
async function story(...inputs: RecordedInput[]): Promise<[number, string][]> {
  const { timeline } = await foldRecording(fromArray(inputs), {
    profile: profileFor("some-script"),
    startAt: 1_700_000_000_000,
    zone: "UTC",
    size: { cols: 80, rows: 20 },
  });
  return timeline.map(({ t, state, cause }) => [t, cause ? `${state}/${cause}` : state]);
}
const states = (found: [number, string][]): string[] => found.map(([, state]) => state);

describe("a program without a profile that prints lines", () => {
  it("that hangs in the middle of an answer is stuck in its answer, not before it", async () => {
    const found = await story(
      bytes(0.2, "Chat\r\n> "),
      keys(5, "explain it\r"),
      bytes(5.1, "explain it\r\n"),
      bytes(6, "The file holds a list of "),
      bytes(7, "settings, and the first of "),
      end(300),
    );
    expect(states(found)).not.toContain("stuck/never_started");
    const [at, last] = found.at(-1) ?? [];
    expect(last).toBe("stuck/silent_stream");
    expect(at).toBeLessThan(130);
  });

  it("that answers and shows its prompt again is complete", async () => {
    const found = await story(
      bytes(0.2, "Chat\r\n> "),
      keys(5, "explain it\r"),
      bytes(5.1, "explain it\r\n"),
      bytes(6, "The file holds a list of settings.\r\n\r\n> "),
      end(60),
    );
    expect(states(found).at(-1)).toBe("complete");
    expect(states(found).join(" ")).not.toMatch(/stuck|error|needs_input/);
  });

  it.each([
    ["> pkg@1.0.0 hang\r\n> node hang.js\r\n\r\nProcessing file 42 of 100...\r\n"],
    ["* one\r\n* two\r\n"],
    ["! note\r\n"],
    ["→ step 3\r\n"],
  ])("that prints %j and hangs is reported after the idle timeout", async (text) => {
    const found = await story(bytes(0.2, text), end(1200));
    const [at, last] = found.at(-1) ?? [];
    expect(last).toBe("stuck/silent_stream");
    expect(at).toBeGreaterThan(880);
    expect(at).toBeLessThan(930);
  });

  it("that quotes a limit in the middle of its work is at work", async () => {
    const lines = Array.from({ length: 60 }, (_, n) => bytes(n * 5, `rate limit exceeded\r\nchecked case ${n}\r\n`));
    expect(states(await story(...lines, end(300))).join(" ")).not.toMatch(/limit|error|stuck/);
  });

  it("that repeats one error is stuck, and not complete when it ends with 0", async () => {
    const lines = Array.from({ length: 30 }, (_, n) => bytes(n * 8, "Error: pool exhausted\r\n"));
    const found = await story(...lines, { t: 245, kind: "exit", code: 0, signal: null });
    expect(states(found)).toContain("stuck/repeated_error");
    expect(states(found)).not.toContain("complete");
  });
});
