import type { Editor } from "../ports/mod.ts";
import type { Claims } from "./claims.ts";

/** A part of an editor that it may lack. */
export type OptionalPart = {
  [Name in keyof Editor]-?: undefined extends Editor[Name] ? Name : never;
}[keyof Editor];

/** One promise of the port, and how it is looked at. */
export interface Clause {
  /** The member, and what it promises. */
  readonly title: string;
  /**
   * Looks at an editor that was opened for this clause alone.
   *
   * @returns What the editor lacks that the promise is about; `null` when it was looked at.
   */
  readonly check: (editor: Editor, claims: Claims) => Promise<string | null>;
}

/** The parts that a clause needs, none of which is absent. */
export type With<Part extends OptionalPart> =
  & Editor
  & { readonly [Name in Part]-?: NonNullable<Editor[Name]> };

/** A clause about parts that an editor may lack. */
export function clause<Part extends OptionalPart>(
  title: string,
  parts: readonly Part[],
  check: (editor: With<Part>, claims: Claims) => Promise<string | null | void>,
): Clause {
  return {
    title,
    async check(editor, claims) {
      if (hasAll(editor, parts)) return await check(editor, claims) ?? null;
      return parts.find((part) => editor[part] === undefined) ?? null;
    },
  };
}

function hasAll<Part extends OptionalPart>(
  editor: Editor,
  parts: readonly Part[],
): editor is With<Part> {
  return parts.every((part) => editor[part] !== undefined);
}
