/** Publishes changed assessments, incident changes and new messages on the event stream. */

import type { LoopEvent } from "../daemon/loop-options.js";
import type { DaemonParts } from "../daemon/parts.js";
import { incidentView } from "../daemon/views/incident-view.js";
import { viewOf } from "../daemon/views/view.js";
import type { Events } from "./events.js";
import { messageView } from "./service/messages.js";

/** Messages are read from the journal at this interval: the longest delay for a listener. */
const MESSAGES_MS = 500;

type Sources = Pick<DaemonParts, "loop" | "journal">;

/** Returns a function that stops it. */
export function feedEvents(events: Events, { loop, journal }: Sources): () => void {
  const follow = apart((event: LoopEvent, now: number) => {
    if (event.kind === "assessed") {
      const { judge } = event;
      events.publish("assessment", now, judge.session.name, viewOf(judge, now, loop.incidents));
    }
    if (event.kind !== "incidents") return;
    const source = { state: loop.state, now };
    for (const { incident: id, change } of event.changes) {
      const found = loop.incidents.incidents.find((incident) => incident.id === id);
      if (found) events.publish("incident", now, found.agent, { change, ...incidentView(found, source) });
    }
  });
  let sent = journal.messages.newest();
  const written = apart(() => {
    for (const message of journal.messages.read(null, sent, true)) {
      sent = message.id;
      events.publish("message", message.at, workerOf(message.payload), messageView(message));
    }
  });
  const unsubscribe = loop.subscribe(follow);
  const reading = setInterval(written, MESSAGES_MS);
  return () => {
    unsubscribe();
    clearInterval(reading);
  };
}

/** A failed publication must not stop judging and acting. The journal reports its own read errors. */
function apart<Given extends unknown[]>(publish: (...given: Given) => void): (...given: Given) => void {
  return (...given) => {
    try {
      publish(...given);
    } catch {
      // See above.
    }
  };
}

function workerOf(payload: unknown): string {
  const name =
    typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>).worker_name : null;
  return typeof name === "string" ? name : "";
}
