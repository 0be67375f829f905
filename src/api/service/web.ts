/** The dashboard: login, its own session, and the screens of an earlier time. */
import { type Right, Tokens } from "../../daemon/http/tokens.js";
import { ApiError } from "../error.js";
import type { Identity } from "../identity.js";
import { findAgent, iso, isoOrNull, type ServiceContext } from "./context.js";

type WebContext = Pick<ServiceContext, "loop" | "control" | "logins" | "paths" | "screens">;

export class WebService {
  readonly #context: WebContext;

  constructor(context: WebContext) {
    this.#context = context;
  }

  login(rights: readonly Right[]): { url: string; expires_at: string } {
    const { control, logins } = this.#context;
    const { address, port, listening, error } = control.http();
    if (port === 0)
      throw new ApiError(
        "refused",
        "the HTTP port is off (daemon.http_port = 0); set a port, then `rouse down` and `rouse up`",
      );
    if (!listening)
      throw new ApiError(
        "refused",
        `port ${port} of ${address} is not open: ${error ?? "the daemon is still starting"}; set another port (daemon.http_port, or ROUSE_DAEMON_HTTP_PORT), then \`rouse down\` and \`rouse up\``,
      );
    const { code, expiresAt } = logins.create(rights);
    const host = address.includes(":") ? `[${address}]` : address;
    return { url: `http://${host}:${port}/#login=${code}`, expires_at: iso(expiresAt) };
  }

  client({ name, rights, token }: Identity): { name: string; rights: string[]; expires_at: string | null } {
    const record = token === null ? null : new Tokens(this.#context.paths.tokens).record(token);
    const { expires_at = null } = record ?? {};
    return { name, rights: [...rights], expires_at };
  }

  async screen(agent: string, at: number) {
    const { session } = findAgent(this.#context, agent);
    const found = await this.#context.screens.at(session, at);
    return { agent: session.name, ...found, at: isoOrNull(found.at) };
  }

  screens(agent: string) {
    const { session } = findAgent(this.#context, agent);
    const screens = this.#context.screens.list(session.name).map((screen) => ({ ...screen, at: iso(screen.at) }));
    return { agent: session.name, screens };
  }
}
