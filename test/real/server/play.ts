/** Plays the steps of one reply onto a wire, in real time. */
import type { ServerResponse } from "node:http";
import type { HttpFailure, Step } from "./script.js";
import type { Dialect, Wire } from "./wire.js";

const PIECE_MS = 50;

export interface Playing {
  wire: Wire;
  dialect: Dialect;
  response: ServerResponse;
  /** Ends when the client has gone or the server closes. */
  signal: AbortSignal;
  note: (did: Step["do"], what?: string) => void;
  reported: (word: string) => Promise<void>;
}

/** True if the reply was completed; false if it failed, was cut, or the client left. */
export async function play(steps: readonly Step[], playing: Playing): Promise<boolean> {
  const { wire, dialect, response, signal, note } = playing;
  let isOpen = false;
  const open = (): void => {
    if (!isOpen) wire.open();
    isOpen = true;
  };
  // A block stays open until something follows it, so that a stall after a text is a stall in the middle of it.
  let isInBlock = false;
  const finish = (): void => {
    if (isInBlock) wire.finish();
    isInBlock = false;
  };
  for (const step of steps) {
    if (signal.aborted) return false;
    note(step.do, "kind" in step ? step.kind : undefined);
    if (step.do === "fail") {
      send(response, "kind" in step ? dialect.failure(step.kind, after(step.resetsInS ?? 7200)) : step);
      return false;
    }
    if (step.do === "drop") {
      response.destroy();
      return false;
    }
    if (step.do !== "stall" || step.pingMs !== undefined) open();
    switch (step.do) {
      case "text":
      case "think":
        finish();
        isInBlock = true;
        await say(step.do, step.text, step.ms ?? 0, playing);
        break;
      case "call":
        finish();
        wire.call(step);
        break;
      case "ping":
        for (let times = 0; times < step.times && !signal.aborted; times++) {
          await sleep(step.everyMs, signal);
          wire.ping();
        }
        break;
      case "stall":
        await stall(step, playing);
        break;
      case "await":
        await Promise.race([playing.reported(step.word), aborted(signal)]);
        break;
      case "break":
        wire.breakOff(step.type, step.message);
        return false;
    }
  }
  if (signal.aborted) return false;
  open();
  finish();
  wire.end();
  return true;
}

const after = (seconds: number): Date => new Date(Date.now() + seconds * 1000);

export function send(response: ServerResponse, { status, headers = {}, body }: HttpFailure): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

async function say(block: "text" | "think", text: string, ms: number, { wire, signal }: Playing): Promise<void> {
  const pieces = Math.max(1, Math.min(text.length, Math.floor(ms / PIECE_MS)));
  const size = Math.ceil(text.length / pieces);
  wire.begin(block);
  for (let at = 0; at < text.length && !signal.aborted; at += size) {
    wire.delta(text.slice(at, at + size));
    if (ms > 0) await sleep(ms / pieces, signal);
  }
}

async function stall({ ms, pingMs }: Extract<Step, { do: "stall" }>, { wire, signal }: Playing): Promise<void> {
  const end = Date.now() + (ms ?? Number.POSITIVE_INFINITY);
  while (!signal.aborted && Date.now() < end) {
    await sleep(Math.min(pingMs ?? 1000, end - Date.now()), signal);
    if (pingMs !== undefined && !signal.aborted) wire.ping();
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
