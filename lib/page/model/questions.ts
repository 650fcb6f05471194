import { type Signal, signal } from "@preact/signals";

// What the person is asked before something is done: one question at a time.

/** A question with its answers. */
export interface Question {
  readonly title: string;
  /** What will happen, in a sentence or two. */
  readonly text: string;
  /** A text that is asked for, and what it is at first. */
  readonly field?: { readonly label: string; readonly value: string };
  /** The first is what Enter means. */
  readonly answers: readonly {
    readonly name: string;
    readonly title: string;
    readonly kind?: "primary" | "danger";
  }[];
}

/** What the person said. */
export interface Answer {
  /** The name of the answer that was pressed. */
  readonly name: string;
  /** What was typed; empty where nothing was asked for. */
  readonly text: string;
}

/** A question that waits. */
export interface OpenQuestion extends Question {
  readonly answer: (answer: Answer | null) => void;
}

/** What is asked now. */
export const question: Signal<OpenQuestion | null> = signal(null);

/** Asks the person. @returns `null` when the question was closed: nothing is to be done. */
export function ask(asked: Question): Promise<Answer | null> {
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

/** Asks before what cannot be taken back. @param done What is pressed to do it. */
export async function isSure(
  { title, text, done }: { readonly title: string; readonly text: string; readonly done: string },
): Promise<boolean> {
  const answers = [{ name: "done", title: done, kind: "danger" }] as const;
  return await ask({ title, text, answers }) !== null;
}

/** Asks for a text. @returns `null` for none. */
export async function askFor(
  { title, text, label, value, done }: {
    readonly title: string;
    readonly text: string;
    readonly label: string;
    readonly value: string;
    /** What is pressed to do it. */
    readonly done: string;
  },
): Promise<string | null> {
  const answer = await ask({
    title,
    text,
    field: { label, value },
    answers: [{ name: "done", title: done, kind: "primary" }],
  });
  const typed = answer?.text.trim() ?? "";
  return typed === "" ? null : typed;
}
