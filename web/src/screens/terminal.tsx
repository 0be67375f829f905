/** The live terminal of an agent, read-only. The daemon sends screens that it has drawn itself: text, colours, cursor. */
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { onEvent, wantTerminal } from "../stream.js";
import { styledDocument, withStyles } from "./terminal-styles.js";

type Frame =
  | { agent: string; session: string; seq: number; full: boolean; cols: number; rows: number; data: string }
  | { agent: string; session: string; ended: string };

const THEME = {
  background: "#14181c",
  foreground: "#d7dde2",
  cursor: "#8fd3de",
  selectionBackground: "#35525a",
  black: "#14181c",
  red: "#f07a72",
  green: "#8cc570",
  yellow: "#e2bd5e",
  blue: "#74b0f0",
  magenta: "#cf95e0",
  cyan: "#6fcbd2",
  white: "#d7dde2",
  brightBlack: "#8a949c",
};
const FONT_MAX = 14;
const FONT_MIN = 5;

export default function LiveTerminal({ agent }: { agent: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [note, setNote] = useState("Connecting to the terminal…");

  useEffect(() => {
    const place = box.current;
    if (!place) return;
    const terminal = new Terminal({
      documentOverride: styledDocument(),
      disableStdin: true,
      scrollback: 0,
      fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
      fontSize: FONT_MAX,
      theme: THEME,
      linkHandler: { activate: () => {} },
      logLevel: "off",
    });
    withStyles(() => terminal.open(place));
    // The terminal takes no keys: the page keeps its own.
    terminal.textarea?.setAttribute("tabindex", "-1");
    terminal.textarea?.setAttribute("aria-hidden", "true");
    let last = 0;
    const fitFont = (): void => {
      const width = place.clientWidth - 16;
      const size = Math.floor((width / terminal.cols / 0.602) * 2) / 2;
      terminal.options.fontSize = Math.max(FONT_MIN, Math.min(FONT_MAX, size));
    };
    const observer = new ResizeObserver(fitFont);
    observer.observe(place);
    const stop = onEvent(({ kind, data }) => {
      if (kind !== "terminal") return;
      const frame = data as Frame;
      if (frame.agent !== agent) return;
      if ("ended" in frame) {
        setNote(frame.ended);
        return;
      }
      // A frame was left out: the next whole screen repairs it.
      if (!frame.full && frame.seq !== last + 1) return;
      last = frame.seq;
      if (terminal.cols !== frame.cols || terminal.rows !== frame.rows) {
        terminal.resize(frame.cols, frame.rows);
        fitFont();
      }
      terminal.write(Uint8Array.from(atob(frame.data), (char) => char.charCodeAt(0)));
      setNote("");
    });
    const unwant = wantTerminal(agent);
    return () => {
      unwant();
      stop();
      observer.disconnect();
      terminal.dispose();
    };
  }, [agent]);

  return (
    <div class="terminal">
      <div class="screen" ref={box} role="group" aria-label={`Live terminal of ${agent}`} />
      {note === "" ? null : <p class="note">{note}</p>}
    </div>
  );
}
