/** Reads the stream of events. */
export interface EventReader {
  text: () => string;
  end: () => void;
}

export async function openEvents(
  port: number,
  headers: Record<string, string>,
  more: Record<string, string> = {},
): Promise<EventReader> {
  const ending = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/events`, {
    headers: { ...headers, ...more },
    signal: ending.signal,
  });
  let text = "";
  const decoder = new TextDecoder();
  void (async () => {
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>)
      text += decoder.decode(piece, { stream: true });
  })().catch(() => {});
  return { text: () => text, end: () => ending.abort() };
}
