/** Text with everything that can harm a terminal, and the part of it that must never leave rouse. */

/** C0 but for the newline, DEL, C1, bidirectional marks and overrides, zero width, line separators, tags, lone halves. */
export const UNSAFE: RegExp =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

/** Every one of them, among letters, with real sequences: a title, a clipboard, a hyperlink, a colour, a reset. */
const CODES = Array.from({ length: 160 }, (_, i) => i).filter((i) => i !== 10 && (i < 32 || i > 126));
export const EVIL: string = `${CODES.map((code) => String.fromCharCode(code)).join("a")}\u001b]0;owned\u0007\u001b]52;c;ZXZpbA==\u0007\u001b]8;;http://x\u001b\\link\u001b[31m\u001bc\u009b31m\u009d0;x\u009c\u202egnp.exe\u2066x\u2069\u200bz\ufeff\u2028\u{e0041}\ud800`;
