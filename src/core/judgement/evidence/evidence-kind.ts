/** `person` is who asks for a recovery by hand; no sense of rouse's own gives it. */

export const EVIDENCE_KINDS = ["screen", "record", "process", "workspace", "person"] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];
