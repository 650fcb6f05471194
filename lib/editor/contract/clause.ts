import type { Editor } from "../ports/mod.ts";
import type { Claims } from "./claims.ts";

/** Parts that an editor may lack. */
export type OptionalPart = {
  [Name in keyof Editor]-?: undefined extends Editor[Name] ? Name : never;
}[keyof Editor];

/** A promise of the port, with its check. */
export interface Clause {
  /** The member, and its promise. */
  readonly title: string;
  /**
   * Checks an editor that was opened for this clause alone.
   *
   * @returns The missing part that the promise concerns; `null` if the promise was checked.
   */
  readonly check: (editor: Editor, claims: Claims) => Promise<string | null>;
}

/** An editor that has these parts. */
export type With<Part extends OptionalPart> =
  & Editor
  & { readonly [Name in Part]-?: NonNullable<Editor[Name]> };

/** Creates a clause about optional parts. */
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
