// Invisible characters, which make a name look like another one. They follow Unicode's
// Default_Ignorable_Code_Point (UAX #44), with controls and line separators.

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;
const EVERY = new RegExp(INVISIBLE.source, "gu");

/** Scripts that are written with joiners (UAX #31 §2.3). */
const JOINED_SCRIPTS = "Arab Syrc Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr"
  .split(" ")
  .map((script) => `\\p{scx=${script}}`).join("");
const PICTURE = "\\p{Extended_Pictographic}";
const JOINER = /[\u200c\u200d]/;
const BEFORE_JOINER = new RegExp(`^[${JOINED_SCRIPTS}${PICTURE}\\p{Emoji_Modifier}\\ufe0f]$`, "u");
const AFTER_JOINER = new RegExp(`^[\\p{L}${PICTURE}]`, "u");
const SELECTOR = /[\ufe0e\ufe0f]/;
const BEFORE_SELECTOR = /^\p{Emoji}$/u;

/**
 * Returns the first invisible character of a text: a control, a direction override, a zero-width
 * space, a line separator, a tag.
 *
 * @returns In the form `U+202E`; `null` if every character may be in a name.
 */
export function invisibleIn(text: string): string | null {
  if (!INVISIBLE.test(text)) return null; // nearly always
  const needed = neededIn(text);
  for (const { 0: found, index } of text.matchAll(EVERY)) {
    if (needed.has(index)) continue;
    return `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  }
  return null;
}

/**
 * Places of joiners in those scripts and in emoji, and of what makes a character an emoji or plain text.
 * Walks, as Safari 15 has no lookbehind.
 */
function neededIn(text: string): ReadonlySet<number> {
  const needed = new Set<number>();
  let [before, at] = ["", 0];
  for (const character of text) {
    const isNeeded = JOINER.test(character)
      ? BEFORE_JOINER.test(before) && AFTER_JOINER.test(text.slice(at + 1, at + 3))
      : SELECTOR.test(character) && BEFORE_SELECTOR.test(before);
    if (isNeeded) needed.add(at);
    before = character;
    at += character.length;
  }
  return needed;
}

/**
 * Removes the characters that {@linkcode invisibleIn} finds; controls and line separators become
 * spaces.
 */
export function withoutInvisible(text: string): string {
  if (invisibleIn(text) === null) return text;
  const needed = neededIn(text);
  return text.replace(
    EVERY,
    (found: string, at: number) =>
      needed.has(at) ? found : /[\p{Cc}\p{Zl}\p{Zp}]/u.test(found) ? " " : "",
  );
}

/**
 * Writes the characters that {@linkcode invisibleIn} finds as `\u{202e}`, for messages about them.
 */
export function escapeInvisible(text: string): string {
  if (invisibleIn(text) === null) return text;
  return text.replace(EVERY, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}
