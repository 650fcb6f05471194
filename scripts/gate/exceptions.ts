// What the gate lets pass although a rule of the house forbids it, each with its reason. These lists
// may only shrink: the gate also refuses an exception that is no longer needed.

/** A name that several files of one folder may define. */
export interface DoubledName {
  readonly below: string;
  readonly reason: string;
}

const STORES: DoubledName = {
  below: "lib/ota-publish/",
  reason: "each store implements the same operations, in files of the same names",
};

/** Names that `lib` exports from two files or more (at most 20). */
export const DOUBLED_NAMES: Readonly<Record<string, DoubledName>> = {
  allowCrossOrigin: STORES,
  answerFailure: STORES,
  call: STORES,
  copyObject: STORES,
  findObject: STORES,
  malformed: STORES,
  putObject: STORES,
};

/** A function that is longer than the bound. */
export interface LongFunction {
  readonly file: string;
  readonly name: string;
  readonly reason: string;
}

/** Functions that are longer than the bound (at most 5). */
export const LONG_FUNCTIONS: readonly LongFunction[] = [
  {
    file: "lib/core/json-grammar.ts",
    name: "readJson",
    reason: "one loop over the bytes; a call per token would halve its speed",
  },
];
