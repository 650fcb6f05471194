// What a build of a target will use, and where each part of that is decided. A fact is read, never
// guessed: what no file says and no program was asked for is unknown.

/** The names of facts, in the order in which they are shown. */
export const FACT_NAMES = [
  "webDir",
  "platformDir",
  "appId",
  "packageManager",
  "node",
  "gradle",
  "androidPlugin",
  "jdk",
  "sdk",
  "compileSdk",
  "buildTools",
  "steps",
] as const;

/** What a fact is about. */
export type FactName = (typeof FACT_NAMES)[number];

/** Something that a build will use. */
export interface Fact {
  /** What it is about. */
  readonly name: FactName;
  /** What will be used: a version, a folder, commands; empty if there is none. */
  readonly value: string;
  /** Where this is decided: a file below the project's folder, a setting, a variable. */
  readonly from: string;
  /** Whether a build can use it. */
  readonly ok: boolean;
  /** Why it cannot, or what else happens with it, as a sentence part. */
  readonly why?: string;
  /** One command of a terminal in the project's folder, or one change. */
  readonly fix?: string;
}

/** A fact that is not known. */
export interface UnknownFact {
  /** What it would be about. */
  readonly name: FactName;
  /** Why, as a sentence part. */
  readonly why: string;
}

/** What is known of a build, and what is not. */
export interface Facts {
  /** What is known, in the order of {@linkcode FACT_NAMES}. */
  readonly plan: readonly Fact[];
  /** What is not. */
  readonly unknown: readonly UnknownFact[];
}

/** Puts facts in the order of {@linkcode FACT_NAMES}. */
export function inOrder({ plan, unknown }: Facts): Facts {
  const place = ({ name }: { readonly name: FactName }) => FACT_NAMES.indexOf(name);
  const byPlace = (a: { readonly name: FactName }, b: { readonly name: FactName }) =>
    place(a) - place(b);
  return { plan: [...plan].sort(byPlace), unknown: [...unknown].sort(byPlace) };
}

/** Separates what is known from what is not. */
export function factsOf(all: readonly (Fact | UnknownFact)[]): Facts {
  return {
    plan: all.flatMap((fact) => isKnown(fact) ? [fact] : []),
    unknown: all.flatMap((fact) => isKnown(fact) ? [] : [fact]),
  };
}

function isKnown(fact: Fact | UnknownFact): fact is Fact {
  return "value" in fact;
}
