/** The last prompt of the user: the task of a turn, in case that the program forgets it. */
import type { Signal } from "../../signal.js";

export interface RequestState {
  /** The whole prompt; null if there was none, or if it is too long to be typed again. */
  text: string | null;
}

export const createRequest = (): RequestState => ({ text: null });

export function takeRequest(request: RequestState, signal: Signal): void {
  if (signal.kind === "message" && signal.role === "user" && !signal.own) request.text = signal.request ?? null;
}
