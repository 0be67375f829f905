/** Dark or light: as the system, until the user chooses. */
import { signal } from "@preact/signals";

const KEY = "rouse-theme";
const THEMES = ["auto", "dark", "light"] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>("auto");

export function startTheme(): void {
  const kept = localStorage.getItem(KEY);
  setTheme((THEMES as readonly (string | null)[]).includes(kept) ? (kept as Theme) : "auto");
}

export function nextTheme(): void {
  setTheme(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto");
}

function setTheme(value: Theme): void {
  theme.value = value;
  localStorage.setItem(KEY, value);
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}
