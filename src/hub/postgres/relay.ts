/**
 * A hub that is reached through a relay: its address names the socket file as `relay`. Everything else, TLS and the name that its
 * certificate has to show included, is as if the server itself were reached.
 */
import { Socket } from "node:net";

export const withRelay = (url: string, path: string): string => {
  const own = new URL(url);
  own.searchParams.set("relay", path);
  return own.href;
};

export const relayOf = (url: string): string | null => new URL(url).searchParams.get("relay");

/** Options of `pg`: the address, and how to reach it. */
export function connectionTo(url: string): { connectionString: string; stream?: () => Socket } {
  const path = relayOf(url);
  if (path === null) return { connectionString: url };
  const own = new URL(url);
  own.searchParams.delete("relay");
  return { connectionString: own.href, stream: () => new RelayedSocket(path) };
}

/** `pg` connects it to the host of the address. */
class RelayedSocket extends Socket {
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  override connect(..._address: unknown[]): this {
    return super.connect({ path: this.#path });
  }
}
