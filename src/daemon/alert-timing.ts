/** How alerts are held together and retried. */
export const ALERT_TIMING: Readonly<{ groupWaitMs: number; groupOver: number; retryMs: number }> = {
  /** An alert waits for this long, so that simultaneous problems are sent together. */
  groupWaitMs: 10_000,
  /** More simultaneous new problems than this are sent as one alert. */
  groupOver: 5,
  /** A failed alert is first retried after this time, which doubles up to ten minutes. */
  retryMs: 5_000,
};
