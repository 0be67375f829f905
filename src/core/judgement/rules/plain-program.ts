import type { Evidence } from "../evidence/state.js";

/**
 * An unknown program without an input field got its task at its start. Turns, if there are any, are those of an agent
 * that it runs.
 */
export const isPlainProgram = ({ traits, turn, session }: Evidence): boolean =>
  traits.versions === null && (turn.turns === 0 || session.child !== undefined) && turn.readyAt === null;
