import { join } from "node:path";
import { defineConfig } from "vite";

/** The dashboard: static files with hashed names, which the daemon serves. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: join(import.meta.dirname, "../dist/web"),
    emptyOutDir: true,
    target: "es2022",
    // Everything is a file: the policy of the page permits neither inline code nor data addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The terminal and the charts are loaded with the screens that need them.
    chunkSizeWarningLimit: 400,
  },
});
