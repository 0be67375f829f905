/** Text that leaves for somebody else: redacted, without control bytes, bounded. Every message and alert is made of this. */

import { redact } from "./redact.js";
import { sanitize } from "./sanitize.js";

/** A secret that is cut in two is no longer known for one, so more is looked at than is kept. */
const SCANNED_MAX = 8000;

export const forOutput = (text: string, max = 300): string => sanitize(redact(text.slice(0, SCANNED_MAX)), max);
