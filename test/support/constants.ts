/**
 * Shorter waits for a daemon that a test starts: constants that no configuration reaches are overwritten before it loads,
 * by a module that Node.js imports first.
 */
const MODULES = {
  DEFAULTS: "core/defaults.js",
  ACTIONS: "core/action.js",
  OUTAGE_WINDOWS: "core/incidents/outage-windows.js",
  CHECK_TIMING: "core/policy/checks.js",
  ALERT_TIMING: "daemon/alert-timing.js",
} as const;

type Constants = Readonly<Partial<Record<keyof typeof MODULES, Readonly<Record<string, unknown>>>>>;

/** The variable that makes a started program, and each one that it starts, use these values. */
export function withConstants(constants: Constants): { NODE_OPTIONS: string } {
  const lines = Object.entries(constants).map(([name, values]) => {
    const module = new URL(`../../dist/${MODULES[name as keyof typeof MODULES]}`, import.meta.url);
    return `import { ${name} } from ${JSON.stringify(module.href)}; Object.assign(${name}, ${JSON.stringify(values)});`;
  });
  const url = `data:text/javascript,${encodeURIComponent(lines.join("\n"))}`;
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${url}`.trim() };
}
