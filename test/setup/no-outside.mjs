/**
 * No test contacts a host outside of this machine. Loaded into every Node.js process of a run (by NODE_OPTIONS): a
 * connection or packet to another address, or a DNS query, is refused and recorded, and fails the run
 * (outside.ts), even if the code under test treats the refusal as an ordinary failure.
 */
import { appendFileSync } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { BlockList, isIP, Socket } from "node:net";

const require = createRequire(import.meta.url);
const dns = require("node:dns");
const { Socket: Packets } = require("node:dgram");

/** Returns a method as a function with an explicit `this`. */
const ownOf = (owner, name) => Object.getOwnPropertyDescriptor(owner, name).value;

const HERE = new BlockList();
HERE.addSubnet("127.0.0.0", 8, "ipv4");
HERE.addAddress("0.0.0.0", "ipv4");
HERE.addAddress("::1", "ipv6");
HERE.addAddress("::", "ipv6");

function isHere(host) {
  const version = isIP(host ?? "127.0.0.1");
  return version === 0
    ? /^localhost\.?$/i.test(host)
    : HERE.check(host ?? "127.0.0.1", version === 6 ? "ipv6" : "ipv4");
}

function refusal(what) {
  const log = process.env.ROUSE_TEST_OUTSIDE;
  if (log) appendFileSync(log, `${what}, by ${process.argv.slice(1, 4).join(" ")}\n`);
  return Object.assign(new Error(`a test may not ask for ${what}`), { code: "EOUTSIDE" });
}

/** The result of a custom lookup function is checked before it is used. */
const checked = (lookup) => (host, options, done) =>
  lookup(host, options, (error, found, family) => {
    const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
    const outside = error ? undefined : addresses.find((address) => !isHere(address));
    if (outside === undefined) done(error, found, family);
    else done(refusal(`a connection to ${outside}`), []);
  });

const connect = ownOf(Socket.prototype, "connect");
Socket.prototype.connect = function (...given) {
  const args = Array.isArray(given[0]) ? given[0] : given;
  const [first, second] = args;
  const isOptions = typeof first === "object" && first !== null;
  const host = isOptions ? first.host : typeof second === "string" ? second : undefined;
  const isPath = isOptions
    ? first.path !== undefined && first.port === undefined
    : typeof first === "string" && Number.isNaN(Number(first));
  if (isPath || isHere(host)) return connect.apply(this, given);
  if (isIP(host) === 0 && isOptions && first.lookup) {
    args[0] = { ...first, lookup: checked(first.lookup) };
    return connect.apply(this, given);
  }
  process.nextTick(() => this.destroy(refusal(`a connection to ${host}`)));
  return this;
};

const { lookup } = dns;
dns.lookup = (host, options, done) => {
  if (isIP(host) !== 0 || isHere(host)) return lookup(host, options, done);
  process.nextTick(typeof options === "function" ? options : done, refusal(`the address of ${host}`), []);
};
const lookupSoon = dns.promises.lookup;
dns.promises.lookup = async (host, options) => {
  if (isIP(host) !== 0 || isHere(host)) return lookupSoon(host, options);
  throw refusal(`the address of ${host}`);
};
syncBuiltinESMExports();

const send = ownOf(Packets.prototype, "send");
Packets.prototype.send = function (...given) {
  const host = given.findLast((one) => typeof one === "string" && isIP(one) !== 0);
  if (host !== undefined && !isHere(host)) throw refusal(`a packet to ${host}`);
  return send.apply(this, given);
};
