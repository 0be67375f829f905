export type ControlResult = {
  result: "done" | "refused" | "failed" | "unknown";
  reason: string;
  proven: boolean | null;
};
