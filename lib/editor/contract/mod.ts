/**
 * The promises of {@linkcode Editor}, as cases that its owner runs in whatever test framework: what
 * every editor answers, and what each part does that it does not leave out.
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

/** How an editor meets one promise. */
export type ContractOutcome =
  | { readonly kind: "kept" }
  /** The promise is about a part that this editor leaves out. */
  | { readonly kind: "absent"; readonly part: string }
  /** At least one sentence: what was found, and what the port promises. */
  | {
    readonly kind: "broken";
    readonly sentences: readonly string[];
    /** What a call of the editor threw: its stack leads to where. */
    readonly thrown?: unknown;
  };

/** One promise of the port. */
export interface ContractCase {
  /** The member, and what it promises; unique. */
  readonly name: string;
  /** Opens an editor and looks. It is rejected only when `open` or `close` is. */
  check(): Promise<ContractOutcome>;
  /**
   * The same for a test framework: a part that is absent is no failure.
   *
   * @throws {Error} When the promise is broken; its `cause` is what the editor threw.
   */
  run(): Promise<void>;
}

/** How the editors of a contract are let go of. */
export interface ContractOptions<Opened extends Editor> {
  /** Called after each case, however it ended. */
  readonly close?: (editor: Opened) => Promise<void>;
}

/**
 * Every promise of the port as a case of its own.
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
 * @param open Opens an editor on a project that may be changed and thrown away, with a scene that has
 * a file and no game playing. Called once a case: what one case changes no other may see.
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
