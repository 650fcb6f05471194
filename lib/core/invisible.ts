// Characters that are not seen, and change what is: a name with one reads as another name. What is
// one follows Unicode's Default_Ignorable_Code_Point (UAX #44), with controls and line separators.

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;
const EVERY = new RegExp(INVISIBLE.source, "gu");

/** Scripts that are written with joiners (UAX #31 §2.3). */
const JOINED_SCRIPTS = "Arab Syrc Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr"
  .split(" ")
  .map((script) => `\\p{scx=${script}}`).join("");
const PICTURE = "\\p{Extended_Pictographic}";

/** Joiners in those scripts and in emoji, and what makes a character an emoji or plain text. */
const NEEDED = new RegExp(
  `(?<=[${JOINED_SCRIPTS}${PICTURE}\\p{Emoji_Modifier}\\ufe0f])[\\u200c\\u200d](?=[\\p{L}${PICTURE}])` +
    "|(?<=\\p{Emoji})[\\ufe0e\\ufe0f]",
  "gu",
);

/**
 * The first character of a text that is not seen: a control, a direction override, a zero-width
 * space, a line separator, a tag.
 *
 * @returns As `U+202E`; `null` when every character may be in a name.
 */
export function invisibleIn(text: string): string | null {
  if (!INVISIBLE.test(text)) return null; // nearly always
  const code = INVISIBLE.exec(text.replace(NEEDED, ""))?.[0].codePointAt(0);
  return code === undefined ? null : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The text without what {@linkcode invisibleIn} finds; controls and line separators become spaces. */
export function withoutInvisible(text: string): string {
  if (invisibleIn(text) === null) return text;
  const needed = new Set(Array.from(text.matchAll(NEEDED), ({ index }) => index));
  return text.replace(
    EVERY,
    (found: string, at: number) =>
      needed.has(at) ? found : /[\p{Cc}\p{Zl}\p{Zp}]/u.test(found) ? " " : "",
  );
}

/** The text with what {@linkcode invisibleIn} finds written as `\u{202e}`: for telling what was found. */
export function escapeInvisible(text: string): string {
  if (invisibleIn(text) === null) return text;
  return text.replace(EVERY, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`);
}
