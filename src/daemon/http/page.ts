/**
 * The dashboard's files, from the package. They hold no data and need no token; the page asks for all data with the token of
 * its session. The policy permits no inline script or style, no foreign address and no frame, and no sink of HTML at all.
 */
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../web/", import.meta.url));
const INDEX = "index.html";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const SAFETY = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** Names with a digest of their content: they never change. */
const HASHED = /^\/assets\/.+-[\w-]{8}\.\w+$/;

export interface WebPage {
  has(path: string): boolean;
  answer(path: string): Response;
}

/**
 * All files are read at the start: after an upgrade of the package, the page of a running daemon still names the files that
 * belong to it. A path is looked up, never joined.
 */
export function openPage(folder: string = FOLDER): WebPage {
  const files = filesIn(folder);
  return {
    has: (path) => path === "/" || files.has(path),
    answer: (path) => {
      const body = files.get(path);
      if (body === undefined)
        return new Response("The dashboard is not built. Run `npm run build` in the checkout of rouse.\n", {
          status: 404,
          headers: { ...SAFETY, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
        });
      const type = TYPES[path === "/" ? extname(INDEX) : extname(path)] ?? "application/octet-stream";
      const cache = HASHED.test(path) ? "private, max-age=31536000, immutable" : "no-store";
      return new Response(body, { headers: { ...SAFETY, "content-type": type, "cache-control": cache } });
    },
  };
}

function filesIn(folder: string): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  try {
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && extname(entry.name) in TYPES)
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.replace(/\/$/, "").length));
    return new Map(
      names.map((name) => [name === `/${INDEX}` ? "/" : name, new Uint8Array(readFileSync(join(folder, name)))]),
    );
  } catch {
    return new Map();
  }
}
