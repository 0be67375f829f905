/** `rouse demo`: six scripted agents in a separate environment; shows how rouse judges, recovers or escalates each. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { sanitizedJson } from "../../../core/text/sanitize.js";
import { TIMES } from "../../../demo/cast.js";
import { endingOf, Story, type StoryEvent } from "../../../demo/story.js";
import { Theatre } from "../../../demo/theatre.js";
import { BadInput } from "../../../replay/bad-input.js";
import { canDraw, isColoured } from "../../text/paint.js";
import { readSize } from "../../text/redraw.js";
import { eventLineText, type Frame, frameText, storySummaryText, type Times } from "./view.js";

const CHECK_MS = 150;
/** On the agents' clocks it takes about eight minutes; on a busy machine, longer. */
const LIMIT_MS = 40 * 60_000;

const OPEN = "\u001b[?1049h\u001b[?25l";
const CLOSE = "\u001b[?25h\u001b[?1049l";

export function addDemo(program: Command, setExit: (code: number) => void): void {
  program
    .command("demo")
    .summary("Show rouse on six scripted agents (about a minute)")
    .description(
      "Start six scripted agents (healthy, hang, permission, limit, loop, crash) and show how rouse judges, recovers or escalates each. The judgement is real; only the clocks run faster. Needs no API key and no configuration, uses a separate daemon and folder, and removes everything at the end.",
    )
    .option("--speed <n>", "speed of all clocks, 1 to 20", speedOf, TIMES)
    .option("--json", "print one JSON event per line")
    .action(async ({ json, speed }) => {
      setExit(await show(json ? new JsonView() : canDraw(process.stdout) ? new LiveView() : new LineView(), speed));
    });
}

function speedOf(word: string): number {
  const speed = Number(word);
  if (word.trim() === "" || !(speed >= 1 && speed <= 20))
    throw new InvalidArgumentError("It must be a number from 1 to 20.");
  return speed;
}

async function show(view: View, speed: number): Promise<number> {
  const theatre = Theatre.open(speed);
  const story = new Story();
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  for (const signal of SIGNALS) process.on(signal, stop);
  const times = (): Times => ({ realMs: Date.now() - theatre.since, times: speed, starvedMs: theatre.starvedMs });
  const isOn = (): boolean => !stopped.signal.aborted && !story.isOver && times().realMs < LIMIT_MS / speed;
  try {
    view.begin(speed);
    while (isOn() && theatre.failure === null) {
      const check = await theatre.check();
      view.show(story, check ? story.take(check, Math.round(times().realMs / 100) / 10) : [], times());
      await sleep(CHECK_MS, null, { signal: stopped.signal }).catch(() => null);
    }
    const ended = times();
    view.leave();
    await theatre.close();
    if (stopped.signal.aborted) {
      view.stopped();
      return 0;
    }
    if (theatre.failure !== null) throw new BadInput(`the demo failed: ${theatre.failure}`);
    view.end(story, ended);
    return story.isAsPlanned ? 0 : 1;
  } finally {
    view.leave();
    await theatre.close();
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const write = (text: string): void => void process.stdout.write(text);

/** columns and rows are undefined if output is no terminal, despite the types. */
const frame = (): Frame => ({
  columns: process.stdout.columns || 80,
  rows: process.stdout.rows || 24,
  colour: isColoured(process.stdout),
});

interface View {
  begin(speed: number): void;
  show(story: Story, events: readonly StoryEvent[], times: Times): void;
  /** Restores the terminal; may be called twice. */
  leave(): void;
  stopped(): void;
  end(story: Story, times: Times): void;
}

const STOPPED = "Stopped; the demo was removed.\n";

class LineView implements View {
  begin(speed: number): void {
    write(`Six scripted agents: the judgement is real, the clocks run at ${speed}x speed.\n`);
  }
  show(_story: Story, events: readonly StoryEvent[]): void {
    // The outcome of an action follows at once.
    for (const event of events) if (event.event !== "action") write(`${eventLineText(event)}\n`);
  }
  leave(): void {}
  stopped(): void {
    write(STOPPED);
  }
  end(story: Story, times: Times): void {
    write(`\n${storySummaryText(story, times, frame())}`);
  }
}

/** Redrawn on the alternate screen; the summary goes to the normal one. */
class LiveView implements View {
  #isOpen = false;
  begin(): void {
    this.#isOpen = true;
    write(OPEN);
  }
  show(story: Story, _events: readonly StoryEvent[], times: Times): void {
    readSize();
    const rows = frameText(story, frame(), times).split("\n");
    write(`\u001b[H${rows.map((row) => `${row}\u001b[K`).join("\r\n")}\u001b[J`);
  }
  leave(): void {
    if (this.#isOpen) write(CLOSE);
    this.#isOpen = false;
  }
  stopped(): void {
    write(STOPPED);
  }
  end(story: Story, times: Times): void {
    write(storySummaryText(story, times, frame()));
  }
}

class JsonView implements View {
  begin(): void {}
  show(_story: Story, events: readonly StoryEvent[]): void {
    for (const event of events) write(`${sanitizedJson(event)}\n`);
  }
  leave(): void {}
  stopped(): void {
    write(`${sanitizedJson({ event: "stopped" })}\n`);
  }
  end(story: Story, { realMs, times, starvedMs = 0 }: Times): void {
    const agents = story.rows.map((row) => ({
      agent: row.member.name,
      ending: row.ending,
      expected: row.member.ending,
      did: row.did,
      text: endingOf(row),
    }));
    write(
      `${sanitizedJson({ event: "end", seconds: realMs / 1000, clocks_times: times, waited_for_cpu_seconds: starvedMs / 1000, agents })}\n`,
    );
  }
}
