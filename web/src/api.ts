/** Requests to the daemon, with the token in a header. */
import { endSession, session } from "./session.js";

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => request<T>(path, signal ? { signal } : {});

export const post = <T>(path: string, body: object = {}): Promise<T> =>
  request<T>(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });

/** The part of a path that names an agent, an incident or a task. */
export const part = (name: string | number): string => encodeURIComponent(String(name));

type Init = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

async function request<T>(path: string, init: Init): Promise<T> {
  const token = session.value?.token ?? "";
  const headers = { ...init.headers, authorization: `Bearer ${token}` };
  const answer = await fetch(path, { ...init, headers, cache: "no-store" }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new Refused(0, "The daemon does not answer. Start it with: rouse up");
  });
  const body: unknown = await answer.json().catch(() => null);
  if (answer.status === 401) endSession("Your session has ended. Run `rouse web` again.");
  if (!answer.ok)
    throw new Refused(answer.status, errorOf(body) ?? `The daemon answered with status ${answer.status}.`);
  return body as T;
}

const errorOf = (body: unknown): string | null =>
  typeof body === "object" && body !== null && "error" in body ? String(body.error) : null;
