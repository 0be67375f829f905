/**
 * Bounds what one client can hold of the daemon's port. A connection without a request costs nothing but its place, so the
 * oldest of them give way: a client that connects sends its request at once. A request with a valid key or token counts
 * against the budget of its owner; hooks have one of their own. Afterwards its connection is kept for the owner's next
 * request: it gives way only to newer ones of the same owner.
 */
import type { Socket } from "node:net";

/** Connections without a request: in all, and of one peer. */
export const WAITING_MAX = 128;
export const WAITING_PER_PEER_MAX = 64;
/** Requests under way of one token, event streams included, and of all tokens together. */
export const TOKEN_MAX = 128;
export const TOKENS_MAX = 256;
/** Each agent holds a connection for a few seconds; more than this are not agents. */
export const HOOKS_MAX = 128;
/** Kept connections of one owner, between two requests. Node.js closes each after five seconds. */
export const KEPT_MAX = 128;
/** Never reached by what is admitted. */
export const CONNECTIONS_MAX: number = 2 * WAITING_MAX + TOKENS_MAX + HOOKS_MAX + 2 * KEPT_MAX;

export class Connections {
  /** Peer by connection, the longest waiting first. */
  readonly #waiting = new Map<Socket, string>();
  /** Owner by kept connection, the longest kept first. */
  readonly #kept = new Map<Socket, string | null>();
  /** Requests under way by owner: the digest of a token, or null for hooks. */
  readonly #serving = new Map<string | null, number>();
  #tokens = 0;
  /** Connections that gave way. */
  evicted = 0;

  open(socket: Socket): void {
    this.#wait(socket);
    socket.once("close", () => {
      this.#waiting.delete(socket);
      this.#kept.delete(socket);
    });
  }

  /** Why the request is refused; else it counts for its owner until `done`. */
  admit(socket: Socket, owner: string | null): string | { done: () => void } {
    const count = this.#serving.get(owner) ?? 0;
    const max = owner === null ? HOOKS_MAX : TOKEN_MAX;
    if (count >= max) return `${max} requests of this ${owner === null ? "key" : "token"} are under way; close some`;
    if (owner !== null && this.#tokens >= TOKENS_MAX) return "too many requests are under way; try again later";
    this.#waiting.delete(socket);
    this.#kept.delete(socket);
    this.#add(owner, 1);
    let isDone = false;
    const done = (): void => {
      if (isDone) return;
      isDone = true;
      this.#add(owner, -1);
      if (!socket.destroyed) this.#keep(socket, owner);
    };
    return { done };
  }

  #add(owner: string | null, change: 1 | -1): void {
    const count = (this.#serving.get(owner) ?? 0) + change;
    if (count === 0) this.#serving.delete(owner);
    else this.#serving.set(owner, count);
    if (owner !== null) this.#tokens += change;
  }

  #keep(socket: Socket, owner: string | null): void {
    this.#kept.set(socket, owner);
    const own = [...this.#kept].filter(([, one]) => one === owner);
    if (own.length <= KEPT_MAX) return;
    this.evicted++;
    own[0]?.[0].destroy();
  }

  #wait(socket: Socket): void {
    const peer = socket.remoteAddress ?? "";
    this.#waiting.delete(socket);
    this.#waiting.set(socket, peer);
    const ofPeer = [...this.#waiting.values()].filter((one) => one === peer).length;
    if (ofPeer > WAITING_PER_PEER_MAX) this.#evict(peer);
    else if (this.#waiting.size > WAITING_MAX) this.#evict(this.#largestPeer());
  }

  #evict(peer: string): void {
    for (const [socket, from] of this.#waiting) {
      if (from !== peer) continue;
      this.#waiting.delete(socket);
      this.evicted++;
      socket.destroy();
      return;
    }
  }

  #largestPeer(): string {
    const counts = new Map<string, number>();
    for (const peer of this.#waiting.values()) counts.set(peer, (counts.get(peer) ?? 0) + 1);
    return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), ["", 0])[0];
  }
}
