/** The view is in the part of the address after #, so that alerts can link to it: `#/agent/billing?t=2026-11-20T02:14:00Z`. */
import { signal } from "@preact/signals";

export const SCREENS = ["fleet", "agent", "incidents", "work", "night"] as const;
export type ScreenName = (typeof SCREENS)[number];

export interface Route {
  screen: ScreenName;
  /** An agent, an incident or a task. */
  name: string;
  query: Readonly<Record<string, string>>;
}

export const route = signal<Route>(parseRoute(location.hash));

function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [screen = "", ...rest] = path.split("/");
  const known = (SCREENS as readonly string[]).includes(screen) ? (screen as ScreenName) : "fleet";
  return { screen: known, name: decoded(rest.join("/")), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function hashOf(screen: ScreenName, name = "", query: Readonly<Record<string, string>> = {}): string {
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${screen}${name === "" ? "" : `/${encodeURIComponent(name)}`}${given === "" ? "" : `?${given}`}`;
}

export function go(screen: ScreenName, name = "", query: Readonly<Record<string, string>> = {}): void {
  location.hash = hashOf(screen, name, query);
}

/** Changes what the view shows, without a new entry in the history. */
export function setQuery(query: Readonly<Record<string, string>>): void {
  const { screen, name, query: before } = route.value;
  history.replaceState(null, "", hashOf(screen, name, { ...before, ...query }));
  route.value = parseRoute(location.hash);
}

export function startRouter(): void {
  route.value = parseRoute(location.hash);
  addEventListener("hashchange", () => {
    route.value = parseRoute(location.hash);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
