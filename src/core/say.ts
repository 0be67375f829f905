/** Text that leaves for somebody else: redacted, without control bytes, bounded. Every message and alert is made of this. */
import { plain } from "./plain.js";
import { redact } from "./redact.js";

/** A secret that is cut in two is no longer known for one, so more is looked at than is kept. */
const LOOKED_AT = 8000;

export const say = (text: string, max = 300): string => plain(redact(text.slice(0, LOOKED_AT)), max);
