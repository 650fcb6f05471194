// The tools, folders and commands of a build, each with the place that decides it. A fact is read, never
// guessed: it is unknown if no file states it and no program was asked for it.

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

/** The subject of a fact. */
export type FactName = (typeof FACT_NAMES)[number];

/** A tool, folder or command that a build will use. */
export interface Fact {
  /** Its subject. */
  readonly name: FactName;
  /** The version, folder or commands that will be used; empty if there is none. */
  readonly value: string;
  /** The place that decides it: a file below the project's folder, a setting, a variable. */
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
  /** Its subject. */
  readonly name: FactName;
  /** Why, as a sentence part. */
  readonly why: string;
}

/** The facts of a build. */
export interface Facts {
  /** Known facts, in the order of {@linkcode FACT_NAMES}. */
  readonly plan: readonly Fact[];
  /** Facts that are not known, in the same order. */
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
