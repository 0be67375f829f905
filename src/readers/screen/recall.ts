import type { Pattern } from "../../agents/pattern.js";
import { Memo } from "../memo.js";

interface Answer {
  hit: boolean;
  groups: Record<string, string> | null;
}

const MISS: Answer = { hit: false, groups: null };

/**
 * A pattern that remembers its last answers. Of the rows of a look most were there at the look before: asking RE2 again
 * for each took half of the time of a look. Groups are shared between callers, who do not write into them.
 */
export function recall(pattern: Pattern, max: number): Pattern {
  const answers = new Memo<Answer>(max, (text) => (pattern.test(text) ? { hit: true, groups: null } : MISS));
  return {
    ...pattern,
    test: (text) => answers.of(text).hit,
    groups: (text) => {
      const answer = answers.of(text);
      if (answer.hit) answer.groups ??= pattern.groups(text);
      return answer.groups;
    },
  };
}
