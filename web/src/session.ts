/**
 * The session: a token in this tab, never in an address. A one-time code comes in the part of the address that is not sent, is
 * exchanged at once, and is removed from the history. A new tab asks the other tabs of this page for the session.
 */
import { signal } from "@preact/signals";

export interface Session {
  token: string;
  name: string;
  rights: readonly string[];
  expires_at: string | null;
}

const KEY = "rouse-session";
const ASK_MS = 300;

export const session = signal<Session | null>(null);
/** Why there is no session. */
export const signInNote = signal<string>("");

const channel = new BroadcastChannel("rouse-session");

export const may = (right: string): boolean => session.value?.rights.includes(right) === true;

export async function startSession(): Promise<void> {
  const code = /^#login=([\w-]+)$/.exec(location.hash)?.[1];
  channel.onmessage = ({ data }: MessageEvent<{ ask?: true; session?: Session }>) => {
    if (data.ask && session.value) channel.postMessage({ session: session.value });
    if (data.session && !session.value) keepSession(data.session);
  };
  if (code !== undefined) {
    history.replaceState(null, "", "#/fleet");
    await redeem(code);
    return;
  }
  const kept = stored();
  if (kept) session.value = kept;
  else await askOthers();
}

export function endSession(note: string): void {
  sessionStorage.removeItem(KEY);
  signInNote.value = note;
  session.value = null;
}

/** With a token from `rouse token create`. Null if it was accepted, else why not. */
export async function signInWith(token: string): Promise<string | null> {
  if (!/^[\w-]{1,200}$/.test(token)) return "This is not a valid token. Create one with: rouse token create NAME";
  const answer = await fetch("/v1/client", { headers: { authorization: `Bearer ${token}` } }).catch(() => null);
  if (answer === null) return "The daemon does not answer. Start it with: rouse up";
  const body = (await answer.json().catch(() => ({}))) as Partial<Session> & { error?: string };
  if (!answer.ok || !body.rights) return body.error ?? "The daemon refused this token.";
  keepSession({ token, name: body.name ?? "", rights: body.rights, expires_at: body.expires_at ?? null });
  return null;
}

async function redeem(code: string): Promise<void> {
  const answer = await fetch("/v1/web/session", {
    method: "POST",
    headers: { authorization: `Bearer ${code}`, "content-type": "application/json" },
    body: "{}",
  }).catch(() => null);
  const body = (await answer?.json().catch(() => null)) as (Session & { error?: string }) | null;
  if (answer?.ok && body) keepSession(body);
  else if (answer === null)
    signInNote.value = "The daemon does not answer. Start it with `rouse up`, then run `rouse web`.";
  else signInNote.value = "This login link has expired or was already used. Run `rouse web` again.";
}

function keepSession(value: Session): void {
  sessionStorage.setItem(KEY, JSON.stringify(value));
  session.value = value;
}

function stored(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Session | null;
  } catch {
    return null;
  }
}

/** Returns when another tab has answered, or none does. */
async function askOthers(): Promise<void> {
  channel.postMessage({ ask: true });
  const deadline = performance.now() + ASK_MS;
  while (!session.value && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}
