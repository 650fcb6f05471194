/**
 * The promises of {@linkcode Editor}, as cases that its owner runs in any test framework: the
 * answers that every editor gives, and the behaviour of each optional part that it has.
 *
 * @module
 */
import { messageOf } from "../../core/result.ts";
import type { Editor } from "../ports/mod.ts";
import { ASSET_CLAUSES } from "./assets.ts";
import { CHANGE_CLAUSES } from "./changes.ts";
import { Claims } from "./claims.ts";
import type { Clause } from "./clause.ts";
import { EDITING_CLAUSES } from "./editing.ts";
import { EXCLUSIVE_CLAUSES } from "./exclusive.ts";
import { LAYOUT_CLAUSES } from "./layout.ts";
import { PART_CLAUSES } from "./parts.ts";
import { PLAY_CLAUSES } from "./play.ts";
import { PRODUCER_CLAUSES } from "./producers.ts";
import { VIEW_CLAUSES } from "./view.ts";

export type { Editor };

/** Result of checking a promise. */
export type ContractOutcome =
  | { readonly kind: "kept" }
  /** The promise is about a part that this editor leaves out. */
  | { readonly kind: "absent"; readonly part: string }
  /** At least one sentence: the found and the promised behaviour. */
  | {
    readonly kind: "broken";
    readonly sentences: readonly string[];
    /** The value that a call of the editor threw; its stack locates the fault. */
    readonly thrown?: unknown;
  };

/** A promise of the port. */
export interface ContractCase {
  /** The member, and its promise; unique. */
  readonly name: string;
  /** Opens an editor and looks. It is rejected only when `open` or `close` is. */
  check(): Promise<ContractOutcome>;
  /**
   * Checks the promise for a test framework: a missing optional part does not fail.
   *
   * @throws {Error} When the promise is broken; its `cause` is what the editor threw.
   */
  run(): Promise<void>;
}

/** How the editors of a contract are closed. */
export interface ContractOptions<Opened extends Editor> {
  /** Called after each case, however it ended. */
  readonly close?: (editor: Opened) => Promise<void>;
}

/**
 * Returns every promise of the port as a separate case.
 *
 * @example With `node:test`; `Deno.test` and the `test` of Vitest are called in the same way.
 * ```ts
 * import { test } from "node:test";
 * import { type Editor, editorContract } from "slipway/editor/contract";
 *
 * export function testMine(openMine: () => Promise<Editor>): void {
 *   for (const { name, run } of editorContract(openMine)) test(name, run);
 * }
 * ```
 *
 * @param open Opens an editor on a disposable project, with a scene that has a file and no game
 * playing. Called once for each case: no case may see another one's changes.
 */
export function editorContract<Opened extends Editor>(
  open: () => Promise<Opened>,
  { close = () => Promise.resolve() }: ContractOptions<Opened> = {},
): readonly ContractCase[] {
  return CLAUSES.map((clause) => {
    const check = async () => {
      const editor = await open();
      try {
        return await outcomeOf(clause, editor);
      } finally {
        await close(editor);
      }
    };
    const run = async () => {
      const outcome = await check();
      if (outcome.kind !== "broken") return;
      const { sentences, thrown } = outcome;
      throw new Error(sentences.join("\n"), thrown === undefined ? {} : { cause: thrown });
    };
    return { name: clause.title, check, run };
  });
}

const CLAUSES: readonly Clause[] = [
  ...PRODUCER_CLAUSES,
  ...LAYOUT_CLAUSES,
  ...PART_CLAUSES,
  ...EDITING_CLAUSES,
  ...EXCLUSIVE_CLAUSES,
  ...VIEW_CLAUSES,
  ...CHANGE_CLAUSES,
  ...PLAY_CLAUSES,
  ...ASSET_CLAUSES,
];

async function outcomeOf({ check }: Clause, editor: Editor): Promise<ContractOutcome> {
  const claims = new Claims();
  let absent: string | null;
  try {
    absent = await check(editor, claims);
  } catch (thrown) {
    const found = `an exception (${messageOf(thrown)})`;
    claims.broken.push(`a call: found ${found}, expected a value: refusals are Problems`);
    return { kind: "broken", sentences: claims.broken, thrown };
  }
  if (claims.broken.length > 0) return { kind: "broken", sentences: claims.broken };
  return absent === null ? { kind: "kept" } : { kind: "absent", part: absent };
}
