/** A list of which only the visible rows exist. Rows have one height; the open one may be larger. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  names: readonly string[];
  rowHeight: number;
  /** This row is open. */
  open: string | null;
  label: string;
  row: (name: string, isOpen: boolean) => ComponentChildren;
}

const MARGIN_ROWS = 6;

export function VirtualList({ names, rowHeight, open, label, row }: Props) {
  const outer = useRef<HTMLDivElement>(null);
  const opened = useRef<HTMLDivElement>(null);
  const [{ top, height }, setView] = useState({ top: 0, height: 800 });
  const [openHeight, setOpenHeight] = useState(rowHeight);
  const openAt = open === null ? -1 : names.indexOf(open);
  const extra = openAt < 0 ? 0 : Math.max(0, openHeight - rowHeight);
  const offsetOf = (at: number): number => at * rowHeight + (openAt >= 0 && at > openAt ? extra : 0);

  useEffect(() => {
    const box = outer.current;
    if (!box) return;
    let frame = 0;
    const read = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setView({ top: box.scrollTop, height: box.clientHeight }));
    };
    const observer = new ResizeObserver(read);
    observer.observe(box);
    box.addEventListener("scroll", read, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", read);
      cancelAnimationFrame(frame);
    };
  }, []);
  useLayoutEffect(() => {
    const box = opened.current;
    if (!box) return;
    const observer = new ResizeObserver(() => setOpenHeight(box.offsetHeight));
    observer.observe(box);
    return () => observer.disconnect();
  }, [open, openAt]);
  useLayoutEffect(() => {
    const box = outer.current;
    if (!box || openAt < 0) return;
    const [from, to] = [openAt * rowHeight, openAt * rowHeight + openHeight];
    if (from < box.scrollTop) box.scrollTop = from;
    else if (to > box.scrollTop + box.clientHeight) box.scrollTop = Math.min(from, to - box.clientHeight);
  }, [open, openHeight]);

  const first = Math.max(0, Math.floor((top - extra) / rowHeight) - MARGIN_ROWS);
  const last = Math.min(names.length, Math.ceil((top + height) / rowHeight) + MARGIN_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <div class="list" ref={outer} tabIndex={0} role="region" aria-label={label}>
      <div class="rows" role="list" style={{ height: `${names.length * rowHeight + extra}px` }}>
        {names.slice(first, last).map((name, i) => {
          const at = first + i;
          const isOpen = at === openAt;
          return (
            <div
              key={name}
              role="listitem"
              class={isOpen ? "item open" : "item"}
              ref={isOpen ? opened : null}
              aria-setsize={names.length}
              aria-posinset={at + 1}
              style={{ transform: `translateY(${offsetOf(at)}px)`, ...(isOpen ? {} : { height: `${rowHeight}px` }) }}
            >
              {row(name, isOpen)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
