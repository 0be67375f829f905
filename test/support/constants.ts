/**
 * Shorter waits for a daemon that a test starts: constants that no configuration reaches are overwritten before it loads,
 * by a module that Node.js imports first.
 */
const MODULES = { DEFAULTS: "core/defaults.js", ALERT_TIMING: "daemon/alert-timing.js" } as const;

/** The variable that makes a started program, and each one that it starts, use these values. */
export function withConstants(
  name: keyof typeof MODULES,
  values: Readonly<Record<string, number>>,
): { NODE_OPTIONS: string } {
  const module = new URL(`../../dist/${MODULES[name]}`, import.meta.url);
  const code = `import { ${name} } from ${JSON.stringify(module.href)}; Object.assign(${name}, ${JSON.stringify(values)});`;
  const url = `data:text/javascript,${encodeURIComponent(code)}`;
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${url}`.trim() };
}
