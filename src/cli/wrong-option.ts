import { BadInput } from "../replay/bad-input.js";

/** A value of an option that is none: wrong usage, where a bad recording is a failure. */
export class WrongOption extends BadInput {}
