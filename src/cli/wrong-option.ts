import { BadInput } from "../replay/bad-input.js";

/** An invalid value of an option: a usage error, while a bad recording is a failure. */
export class WrongOption extends BadInput {}
