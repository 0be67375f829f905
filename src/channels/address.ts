/**
 * Which addresses a channel may connect to, decided on the resolved address and not on the name. Cloud metadata services
 * and reserved addresses are never allowed; private networks only if the user permits them.
 */
import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

const NEVER = new BlockList();
NEVER.addSubnet("0.0.0.0", 8, "ipv4");
NEVER.addSubnet("169.254.0.0", 16, "ipv4"); // link-local: metadata of most clouds
NEVER.addAddress("100.100.100.200", "ipv4"); // Alibaba
NEVER.addAddress("192.0.0.192", "ipv4"); // Oracle
NEVER.addAddress("168.63.129.16", "ipv4"); // Azure
NEVER.addSubnet("224.0.0.0", 4, "ipv4");
NEVER.addSubnet("240.0.0.0", 4, "ipv4");
NEVER.addAddress("::", "ipv6");
NEVER.addSubnet("fe80::", 10, "ipv6");
NEVER.addSubnet("ff00::", 8, "ipv6");
NEVER.addAddress("fd00:ec2::254", "ipv6");

const PRIVATE = new BlockList();
PRIVATE.addSubnet("10.0.0.0", 8, "ipv4");
PRIVATE.addSubnet("100.64.0.0", 10, "ipv4");
PRIVATE.addSubnet("127.0.0.0", 8, "ipv4");
PRIVATE.addSubnet("172.16.0.0", 12, "ipv4");
PRIVATE.addSubnet("192.0.0.0", 24, "ipv4");
PRIVATE.addSubnet("192.168.0.0", 16, "ipv4");
PRIVATE.addSubnet("198.18.0.0", 15, "ipv4");
PRIVATE.addAddress("::1", "ipv6");
PRIVATE.addSubnet("fc00::", 7, "ipv6");
PRIVATE.addSubnet("64:ff9b:1::", 48, "ipv6");
PRIVATE.addSubnet("2001::", 32, "ipv6"); // Teredo: embeds an arbitrary IPv4 address

/** IPv4 embedded in IPv6: mapped, compatible, NAT64, 6to4. */
function innerIpv4(address: string): string | null {
  const dotted = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const groups = groupsOf(address);
  if (groups === null) return null;
  const isEmbedding =
    groups.slice(0, 5).every((n) => n === 0) || (groups[0] === 0x64 && groups[1] === 0xff9b && groups[2] === 0);
  const pair = isEmbedding ? groups.slice(6) : groups[0] === 0x2002 ? groups.slice(1, 3) : null;
  if (!pair) return null;
  const [high = 0, low = 0] = pair;
  return high === 0 && low <= 1 ? null : [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function groupsOf(address: string): number[] | null {
  const [head = "", tail] = address.split("::");
  const parse = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const before = parse(head);
  const after = tail === undefined ? [] : parse(tail);
  const all =
    tail === undefined
      ? before
      : [...before, ...Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after];
  return all.length === 8 && all.every((n) => n >= 0 && n <= 0xffff) ? all : null;
}

/** Why this address is not allowed; null if it is. */
export function checkAddress(given: string, allowPrivate: boolean): string | null {
  const address = given.replace(/^\[|\]$/g, "").split("%", 1)[0] ?? "";
  const version = isIP(address);
  if (version === 0) return "not an IP address";
  const inner = version === 6 ? innerIpv4(address) : null;
  if (inner !== null) return checkAddress(inner, allowPrivate);
  const family = version === 6 ? "ipv6" : "ipv4";
  if (NEVER.check(address, family)) return "addresses of this kind are never allowed";
  if (!allowPrivate && PRIVATE.check(address, family))
    return "the address is in a private network (set allow_private = true to permit it)";
  return null;
}

/** Resolves as the system does, but fails for a forbidden address: the connection uses the checked address. */
export function guardedLookup(allowPrivate: boolean, lookup: typeof systemLookup = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const complaint = found.map(({ address }) => checkAddress(address, allowPrivate)).find((one) => one !== null);
      if (complaint) return callback(Object.assign(new Error(complaint), { code: "EREFUSED_ADDRESS" }), []);
      const [first] = found;
      if (options.all || !first) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}
