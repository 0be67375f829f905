import { describe, expect, it } from "vitest";
import { networkFileSystem } from "./file-system.js";

const MOUNTS = `22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:40 / /nowhere/net rw,relatime shared:7 - nfs4 server:/export rw
31 30 0:41 / /nowhere/net/local rw - xfs /dev/vdb rw
32 22 0:42 / /nowhere/a\\040b rw - cifs //server/share rw
33 22 0:43 / /nowhere/ssh rw - fuse.sshfs me@there: rw
34 22 0:44 / /nowhere/crypt rw - fuse.gocryptfs /x rw
35 22 0:45 / /nowhere/twice rw - ext4 /dev/vdc rw
36 35 0:46 / /nowhere/twice rw - 9p host rw
broken line
`;

describe("networkFileSystem", () => {
  it.each([
    ["/nowhere/state", null],
    ["/nowhere/net", "nfs4"],
    ["/nowhere/net/state", "nfs4"],
    ["/nowhere/network", null],
    ["/nowhere/net/local/state", null],
    ["/nowhere/a b/c", "cifs"],
    ["/nowhere/ssh/x", "fuse.sshfs"],
    ["/nowhere/crypt/x", null],
    ["/nowhere/twice/x", "9p"],
  ])("returns for %s: %s", (folder, type) => {
    expect(networkFileSystem(folder, MOUNTS)).toBe(type);
  });

  it("returns null if the mounts are unknown", () => {
    expect(networkFileSystem("/nowhere", "")).toBeNull();
  });
});
