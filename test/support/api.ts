/** The daemon's port and its tokens, from a client's side. */
import { rousePaths } from "../../src/config/paths.js";
import { askDaemon } from "../../src/daemon/client.js";
import type { HttpView } from "../../src/daemon/http/server.js";
import { type Home, rouse } from "./hosts.js";

/**
 * Starts the daemon with its own port. Another program may use one below the system's range: then the next one is
 * tried.
 */
export async function openPort(home: Home): Promise<number> {
  for (let tries = 0; tries < 20; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    home.env.ROUSE_DAEMON_HTTP_PORT = String(port);
    await rouse(home, ["up"]);
    const { daemonSocket } = rousePaths(home.env);
    const { http } = (await askDaemon(daemonSocket, "GET", "/v1/daemon")) as { http: HttpView };
    if (http.listening) return port;
    await rouse(home, ["down"]);
  }
  throw new Error("no port is free");
}

export async function makeToken(
  home: Home,
  name: string,
  rights: string,
  more: readonly string[] = [],
): Promise<string> {
  const { status, stdout, stderr } = await rouse(home, ["token", "create", name, "--right", rights, ...more]);
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

export class ApiClient {
  readonly url: string;
  readonly token: string;

  constructor(port: number, token: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.token = token;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
  }

  async get<T = Record<string, unknown>>(path: string): Promise<{ status: number; body: T; text: string }> {
    return answerOf(await fetch(`${this.url}${path}`, { headers: this.headers }));
  }

  async post<T = Record<string, unknown>>(
    path: string,
    body: unknown,
  ): Promise<{ status: number; body: T; text: string }> {
    const init = { method: "POST", headers: this.headers, body: JSON.stringify(body) };
    return answerOf(await fetch(`${this.url}${path}`, init));
  }
}

async function answerOf<T>(answer: Response): Promise<{ status: number; body: T; text: string }> {
  const text = await answer.text();
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Not everything is JSON.
  }
  return { status: answer.status, body: body as T, text };
}
