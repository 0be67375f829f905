/** What git says about a task's workspace since it was claimed. Read only: see `sensors/workspace/git.ts`. */
import { type Commit, readCommitsSince, readPushed, readState } from "../sensors/workspace/git.js";

export interface WorkspaceFacts {
  /** Oldest first. */
  commits: readonly Commit[];
  /** Staged or new files. */
  changed: readonly string[];
  effects: readonly string[];
}

/** Null outside a repository. */
export async function readWorkspaceFacts(folder: string | null, since: number): Promise<WorkspaceFacts | null> {
  if (folder === null) return null;
  const state = await readState(folder);
  if (!state) return null;
  const commits = state.head === null ? [] : await readCommitsSince(folder, since);
  const pushed = commits.length === 0 ? null : await readPushed(folder);
  const effects =
    commits.length === 0 ? [] : [`${commits.length} commits on ${state.branch ?? "a detached HEAD"}, listed above`];
  if (pushed !== null)
    effects.push(
      pushed.ahead === 0
        ? `all commits are pushed to ${pushed.upstream}`
        : `${pushed.ahead} commits are not pushed to ${pushed.upstream} yet`,
    );
  return { commits, changed: [...new Set([...state.staged, ...state.untracked])], effects };
}
