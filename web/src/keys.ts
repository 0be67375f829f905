/** Keys of the page, as in `rouse top`. They press the control that has this key in `data-key`, so that both do the same. */
import { signal } from "@preact/signals";
import { agents, isCalm, list, selected } from "./fleet-store.js";
import { go, route } from "./route.js";

export const isHelpOpen = signal(false);

export const KEYS: readonly (readonly [key: string, meaning: string])[] = [
  ["1 … 4", "fleet, incidents, work, night"],
  ["j, k, ↓, ↑", "select an agent"],
  ["n", "next agent that needs you"],
  ["Enter, w", "why: open the agent"],
  ["Space", "show the actions of the agent"],
  ["/", "filter"],
  ["o", "order"],
  ["x", "acknowledge"],
  ["s", "silence"],
  ["r", "recover (asks first)"],
  ["Esc", "back"],
  ["?", "this help"],
];

export function startKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape") back(event);
    if (isTyping) return;
    if (press(event.key, event.target)) event.preventDefault();
  });
}

function back(event: KeyboardEvent): void {
  if (isHelpOpen.value) isHelpOpen.value = false;
  else if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) event.target.blur();
  else if (route.value.screen === "agent") go("fleet");
  else selected.value = null;
}

const SCREEN_KEYS = { "1": "fleet", "2": "incidents", "3": "work", "4": "night" } as const;

/** True if the key meant something. */
function press(key: string, target: EventTarget | null): boolean {
  if (key === "?") {
    isHelpOpen.value = !isHelpOpen.value;
    return true;
  }
  if (key in SCREEN_KEYS) {
    go(SCREEN_KEYS[key as keyof typeof SCREEN_KEYS]);
    return true;
  }
  const onControl = target instanceof HTMLElement && /^(BUTTON|A|SUMMARY)$/.test(target.tagName);
  if (route.value.screen === "fleet" && moveSelection(key, onControl)) return true;
  const control = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);
  if (!control) return false;
  control.focus();
  if (control instanceof HTMLButtonElement) control.click();
  return true;
}

function moveSelection(key: string, onControl: boolean): boolean {
  const { names } = list.value;
  const at = selected.value === null ? -1 : names.indexOf(selected.value);
  const select = (to: number): true => {
    selected.value = names[Math.max(0, Math.min(names.length - 1, to))] ?? null;
    return true;
  };
  if (key === "j" || key === "ArrowDown") return select(at + 1);
  if (key === "k" || key === "ArrowUp") return select(at < 0 ? 0 : at - 1);
  if (key === "n") {
    const needy = names.findIndex((name, i) => i > at && needsUser(name));
    return select(needy >= 0 ? needy : Math.max(0, names.findIndex(needsUser)));
  }
  if (selected.value === null || (onControl && (key === "Enter" || key === " "))) return false;
  if (key === "Enter" || key === "w" || key === "l") {
    go("agent", selected.value);
    return true;
  }
  return false;
}

function needsUser(name: string): boolean {
  const agent = agents.get(name)?.value;
  return agent !== undefined && agent.move === "you" && !isCalm(agent);
}
