/** Text for messages and alerts: redacted, without control bytes, bounded. */

import { redact } from "./redact.js";
import { sanitize } from "./sanitize.js";

/** A secret that is cut in two is not recognized, so more text is redacted than is kept. */
const SCANNED_MAX = 8000;

export const forOutput = (text: string, max = 300): string => sanitize(redact(text.slice(0, SCANNED_MAX)), max);
