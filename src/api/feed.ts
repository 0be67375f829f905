/** What feeds the stream of events: judgements that changed, the book of incidents, and the inboxes. */
import type { IncidentChange } from "../core/incident/course.js";
import type { Incidents } from "../core/incident/incident.js";
import { incidentView } from "../daemon/incident-view.js";
import { messageView } from "../daemon/message-routes.js";
import type { DaemonParts } from "../daemon/parts.js";
import { viewOf } from "../daemon/view.js";
import type { Watched } from "../daemon/watched.js";
import type { Events } from "./events.js";

/** Messages are written beside the book of incidents; whoever listens hears of them so much later at most. */
const MESSAGES_MS = 500;

type Sources = Pick<DaemonParts, "loop" | "journal" | "acting" | "heard">;

/** Returns what ends it. */
export function feed(events: Events, { loop, journal, acting, heard }: Sources): () => void {
  const assessed = apart((watched: Watched, now: number) =>
    events.tell("assessment", now, watched.session.name, viewOf(watched, now)),
  );
  const changed = apart((changes: readonly IncidentChange[], { incidents }: Incidents) => {
    const source = { acting, now: loop.now() };
    for (const { incident: id, how } of changes) {
      const found = incidents.find((incident) => incident.id === id);
      if (found) events.tell("incident", source.now, found.agent, { how, ...incidentView(found, source) });
    }
  });
  let told = journal.messages.newest();
  const written = apart(() => {
    for (const message of journal.messages.read(null, told, true)) {
      told = message.id;
      events.tell("message", message.at, workerOf(message.payload), messageView(message));
    }
  });
  loop.changed.add(assessed);
  heard.add(changed);
  const reading = setInterval(written, MESSAGES_MS);
  return () => {
    loop.changed.delete(assessed);
    heard.delete(changed);
    clearInterval(reading);
  };
}

/** Judging and acting do not end because somebody could not be told of it; a journal that cannot be read says so itself. */
function apart<Given extends unknown[]>(tell: (...given: Given) => void): (...given: Given) => void {
  return (...given) => {
    try {
      tell(...given);
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
