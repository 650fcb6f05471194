import { withoutInvisible } from "../../core/invisible.ts";
import { isDeviceName } from "../../core/new-paths.ts";

/** The longest name of an entity that an import gives, in UTF-16 units. */
const MAX_NAME_LENGTH = 120;
/** The longest file name without its extension that an import gives, in UTF-16 units. */
const MAX_FILE_NAME_LENGTH = 60;

/** Unique names: a taken name gets a number. Names of files are compared without regard to case. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  /**
   * Returns `name`, or `name 2`, `name 3`, …, before `ending`. Each number is tried once, however
   * often a name is requested.
   */
  take(
    name: string,
    { separator = " ", ending = "" }: {
      readonly separator?: string;
      readonly ending?: string;
    } = {},
  ): string {
    const key = fold(`${name}${ending}`);
    let unique = `${name}${ending}`;
    for (let n = this.#next.get(key) ?? 2; this.#taken.has(fold(unique)); n++) {
      unique = `${name}${separator}${n}${ending}`;
      this.#next.set(key, n + 1);
    }
    this.#taken.add(fold(unique));
    return unique;
  }
}

function fold(name: string): string {
  return name.toLowerCase();
}

/** A name for an entity: one line, without the `/` that separates the names of a path. */
export function entityName(name: string | undefined, otherwise: string): string {
  const clean = oneLine(name ?? "").replaceAll("/", "-").slice(0, MAX_NAME_LENGTH);
  return wellFormed(clean) || otherwise;
}

/** A file name without extension: letters, digits, `.`, `_`, `-` and spaces of any language. */
export function fileName(name: string | undefined, otherwise: string): string {
  const clean = oneLine(name ?? "")
    .replace(/[^\p{L}\p{M}\p{N}._ -]+/gu, "-")
    .replace(/^[.\s-]+|[.\s-]+$/g, "")
    .slice(0, MAX_FILE_NAME_LENGTH);
  const cut = wellFormed(clean).replace(/[.\s-]+$/, "") || otherwise;
  return isDeviceName(cut) ? `_${cut}` : cut;
}

function oneLine(name: string): string {
  return withoutInvisible(name.normalize("NFC")).replace(/ +/g, " ").trim();
}

/** Without the half of a character that a cut may leave. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "")
    .trim();
}
