/** Time limit of a start by the daemon: a prompt that is typed waits until the program is ready. */
export const START_LIMIT_MS: number = 5 * 60_000;
