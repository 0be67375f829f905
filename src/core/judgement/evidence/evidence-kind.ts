/** `person` is a user who requests a recovery; no sensor of rouse produces it. */

export const EVIDENCE_KINDS = ["screen", "record", "process", "workspace", "person"] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];
