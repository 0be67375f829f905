/** How the emulator packs a cell: the first of its words holds its character, its width and whether characters were combined. */
export const WORDS_PER_CELL = 3;
export const CHARACTER = 0x1f_ffff;
export const IS_COMBINED = 1 << 21;
export const WIDTH_SHIFT = 22;
/** No cell has this: its character would lie beyond Unicode. */
export const NEVER = 0xffff_ffff;
