import { spell } from "../evidence/verdict.js";

/** An age for people. */
export const ago: (ms: number) => string = spell;
