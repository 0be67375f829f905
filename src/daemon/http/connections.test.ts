import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import {
  CONNECTIONS_MAX,
  Connections,
  HOOKS_MAX,
  KEPT_MAX,
  TOKEN_MAX,
  TOKENS_MAX,
  WAITING_MAX,
  WAITING_PER_PEER_MAX,
} from "./connections.js";

function connectionFrom(remoteAddress: string): Socket {
  const socket = Object.assign(new EventEmitter(), {
    remoteAddress,
    destroyed: false,
    destroy: () => {
      socket.destroyed = true;
      socket.emit("close");
    },
  });
  return socket as unknown as Socket;
}

const open = (connections: Connections, peer: string, count: number): Socket[] =>
  Array.from({ length: count }, () => {
    const socket = connectionFrom(peer);
    connections.open(socket);
    return socket;
  });
const alive = (sockets: readonly Socket[]): number => sockets.filter(({ destroyed }) => !destroyed).length;

describe("connections without a request", () => {
  it("of one peer give way to its own newer ones, the oldest first, and never those of another peer", () => {
    const connections = new Connections();
    const quiet = open(connections, "10.0.0.2", 5);
    const many = open(connections, "10.0.0.1", 1000);
    expect([alive(quiet), alive(many)]).toEqual([5, WAITING_PER_PEER_MAX]);
    expect(alive(many.slice(-WAITING_PER_PEER_MAX))).toBe(WAITING_PER_PEER_MAX);
  });

  it("of many peers give way from the peer that has most", () => {
    const connections = new Connections();
    const quiet = open(connections, "10.0.0.1", 3);
    const many = Array.from({ length: 10 }, (_, n) => open(connections, `10.0.1.${n}`, 30)).flat();
    expect(alive(quiet)).toBe(3);
    expect(alive(many) + 3).toBeLessThanOrEqual(WAITING_MAX);
  });
});

describe("requests under way", () => {
  it("are bounded per token, for all tokens, and apart from them for hooks", () => {
    const connections = new Connections();
    const admitted = (owner: string | null, count: number): number =>
      open(connections, "127.0.0.1", count).filter((socket) => typeof connections.admit(socket, owner) !== "string")
        .length;
    expect(admitted("a", 1)).toBe(1);
    for (let n = 0; n < TOKEN_MAX; n++) admitted("a", 1);
    expect(admitted("a", 1)).toBe(0);
    let all = TOKEN_MAX;
    for (let token = 0; token < 300; token++) all += admitted(`token ${token}`, 1);
    expect(all).toBe(TOKENS_MAX);
    let hooks = 0;
    for (let n = 0; n < 200; n++) hooks += admitted(null, 1);
    expect(hooks).toBe(HOOKS_MAX);
    expect(WAITING_MAX + TOKENS_MAX + HOOKS_MAX).toBeLessThan(CONNECTIONS_MAX);
  });

  it("never give way while they run; afterwards their connection gives way only to newer ones of their owner", () => {
    const connections = new Connections();
    const [served] = open(connections, "127.0.0.1", 1) as [Socket];
    const place = connections.admit(served, "a");
    open(connections, "127.0.0.1", 500);
    expect(served.destroyed).toBe(false);
    if (typeof place !== "string") {
      place.done();
      place.done();
    }
    open(connections, "127.0.0.1", 500);
    const serve = (owner: string, count: number): void => {
      for (let n = 0; n < count; n++) {
        const [socket] = open(connections, "127.0.0.1", 1) as [Socket];
        const next = connections.admit(socket, owner);
        if (typeof next !== "string") next.done();
      }
    };
    serve("b", KEPT_MAX + 1);
    serve("a", KEPT_MAX - 1);
    expect(served.destroyed).toBe(false);
    serve("a", 1);
    expect(served.destroyed).toBe(true);
    for (let n = 0; n < TOKEN_MAX; n++) {
      const [socket] = open(connections, "127.0.0.1", 1) as [Socket];
      expect(connections.admit(socket, "a")).toBeTypeOf("object");
    }
  });
});
