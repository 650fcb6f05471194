import { type Signal, signal } from "@preact/signals";

// Confirmations and prompts, one at a time.

/** A question with its answers. */
export interface Question {
  readonly title: string;
  /** The consequences, in a sentence or two. */
  readonly text: string;
  /** A text to enter, with its initial value. */
  readonly field?: { readonly label: string; readonly value: string };
  /** The first one is the default for Enter. */
  readonly answers: readonly {
    readonly name: string;
    readonly title: string;
    readonly kind?: "primary" | "danger";
  }[];
}

/** The user's answer. */
export interface UserAnswer {
  /** The name of the answer that was pressed. */
  readonly name: string;
  /** The entered text; empty without a field. */
  readonly text: string;
}

/** A question that waits. */
export interface OpenQuestion extends Question {
  readonly answer: (answer: UserAnswer | null) => void;
}

/** The open question, or `null`. */
export const question: Signal<OpenQuestion | null> = signal(null);

/** Asks the user. @returns `null` if the question was closed: nothing is done. */
export function askUser(asked: Question): Promise<UserAnswer | null> {
  question.value?.answer(null);
  return new Promise((resolve) => {
    question.value = {
      ...asked,
      answer(answer) {
        question.value = null;
        resolve(answer);
      },
    };
  });
}

/** Confirms an irreversible action. @param done Label of the confirming button. */
export async function isSure(
  { title, text, done }: { readonly title: string; readonly text: string; readonly done: string },
): Promise<boolean> {
  const answers = [{ name: "done", title: done, kind: "danger" }] as const;
  return await askUser({ title, text, answers }) !== null;
}

/** Asks for a text. @returns `null` if cancelled. */
export async function askFor(
  { title, text, label, value, done }: {
    readonly title: string;
    readonly text: string;
    readonly label: string;
    readonly value: string;
    /** Label of the confirming button. */
    readonly done: string;
  },
): Promise<string | null> {
  const answer = await askUser({
    title,
    text,
    field: { label, value },
    answers: [{ name: "done", title: done, kind: "primary" }],
  });
  const typed = answer?.text.trim() ?? "";
  return typed === "" ? null : typed;
}
