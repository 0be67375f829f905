/**
 * Detects network file systems. WAL needs shared memory and reliable locks; network file systems guarantee neither, and
 * databases on them were lost in practice.
 */
import { readFileSync, realpathSync } from "node:fs";

/** Names in the Linux kernel; FUSE file systems have theirs after a dot. */
const NETWORK = new Set(
  (
    "nfs nfs4 cifs smb smb2 smb3 smbfs 9p afs ceph coda davfs beegfs glusterfs gpfs gfs2 lustre ncpfs ocfs2 orangefs " +
    "pvfs2 virtiofs vboxsf vmhgfs prl_fs fuse.sshfs fuse.rclone fuse.s3fs fuse.gcsfuse fuse.goofys fuse.glusterfs " +
    "fuse.ceph fuse.ceph-fuse fuse.davfs fuse.davfs2 fuse.juicefs fuse.moosefs fuse.mfs fuse.vmhgfs-fuse fuse.smbnetfs " +
    "fuse.curlftpfs fuse.osxfs fuse.grpcfuse fuse.blobfuse fuse.blobfuse2 fuse.seaweedfs"
  ).split(" "),
);

/** The name of the network file system that holds `folder`; null for a local or unknown one. */
export function networkFileSystem(folder: string, mounts: string = readMounts()): string | null {
  const type = fileSystemOf(folder, mounts);
  return type !== null && NETWORK.has(type) ? type : null;
}

/** The deepest mount point above the folder wins; of two at the same point, the later one hides the earlier. */
function fileSystemOf(folder: string, mounts: string): string | null {
  const path = `${resolveLinks(folder)}/`;
  let deepest = "";
  let type: string | null = null;
  for (const line of mounts.split("\n")) {
    const [before = "", after] = line.split(" - ", 2);
    const point = unescapeOctal(before.split(" ")[4] ?? "");
    if (after === undefined || point === "") continue;
    const below = point === "/" ? "/" : `${point}/`;
    if (path.startsWith(below) && below.length >= deepest.length) {
      deepest = below;
      type = after.split(" ", 1)[0] ?? null;
    }
  }
  return type;
}

/** Only Linux has such a file; on other systems nothing is refused. */
function readMounts(): string {
  try {
    return readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return "";
  }
}

function resolveLinks(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Spaces and backslashes of a mount point are written in octal. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
