/**
 * Does a row that a command printed ask the user on the terminal? A log may end in any words, so only the forms of
 * known prompts count by themselves, and only at the end of the last row.
 */

/** `sure`: nothing else is written like this. `likely`: a form of prompts that a log may share. */
export type Asking = "sure" | "likely";

const ROW_MAX = 300;

const SURE: readonly RegExp[] = [
  // "Password for 'https://x@host': ", "[sudo] password for x:", "x@host's password:", "Enter passphrase for key …:"
  /^(?:\[sudo\] |(?:please )?enter (?:your |the |a |new )?|\S{1,80}'s |re-?enter |retype |repeat |confirm |new |current |old )?(?:user ?name|password|passphrase|pass phrase|pin|otp|passcode|verification code|one-time (?:code|password)|login)(?: (?:for|of|to|again)\b.{0,200}|\s?\(.{0,80}\))?:$/i,
  // "[y/N]", "(yes/no)", "(yes/no/[fingerprint])?", "([y]/n)?"
  /[[(]\[?(?:y\]?\s?[/|]\s?\[?n|yes\s?[/|]\s?no)\b.{0,24}[\])]{1,2}\s?[?:>]?$/i,
  /\(y\)es.{0,3}\(n\)o.{0,20}[:?]$/i,
  /\b(?:press|hit) (?:enter|return|any key)\b[^.]{0,40}(?:\.{3}|…|:)?$/i,
];

const LIKELY: readonly RegExp[] = [
  // "package name: (x)"
  /^[a-z][a-z -]{1,40}: \([^()]{0,80}\)$/i,
  // "? Project name: ›"
  /^[?◆] .{2,160}(?:[›»:?]|\([^()]{1,80}\))$/,
];

export function askingOf(row: string): Asking | null {
  const text = row.trim();
  if (text === "" || text.length > ROW_MAX) return null;
  if (SURE.some((form) => form.test(text))) return "sure";
  return LIKELY.some((form) => form.test(text)) ? "likely" : null;
}

/** The last line of a command's output, if it asks. */
export function questionInOutput(output: string): string | null {
  const last =
    output
      .slice(-2000)
      .trimEnd()
      .split(/\r?\n|\r/)
      .at(-1) ?? "";
  return askingOf(last) === null ? null : last.trim();
}
