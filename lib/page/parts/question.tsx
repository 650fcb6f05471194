import { useState } from "preact/hooks";
import { type OpenQuestion, question } from "../model/questions.ts";
import { Dialog } from "./dialog.tsx";

/** The question that waits for an answer, if one does. */
export function AskedQuestion() {
  const asked = question.value;
  return asked === null ? null : <Asked key={asked.title + asked.text} asked={asked} />;
}

function Asked({ asked }: { readonly asked: OpenQuestion }) {
  const { title, text, field, answers, answer } = asked;
  const [typed, setTyped] = useState(field?.value ?? "");
  const [first] = answers;
  return (
    <Dialog title={title} onClose={() => answer(null)}>
      <form
        class="question"
        method="dialog"
        onSubmit={(event) => {
          event.preventDefault();
          if (first !== undefined) answer({ name: first.name, text: typed });
        }}
      >
        <p>{text}</p>
        {field !== undefined && (
          <label>
            {field.label}
            <input
              type="text"
              value={typed}
              autofocus
              ref={(input) => {
                if (input !== null && document.activeElement?.tagName !== "INPUT") {
                  input.focus();
                  input.select();
                }
              }}
              onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            />
          </label>
        )}
        <div class="answers">
          {answers.map(({ name, title: words, kind = "" }) => (
            <button
              key={name}
              type={name === first?.name ? "submit" : "button"}
              autofocus={field === undefined && name === first?.name && kind !== "danger"}
              class={`button ${kind}`}
              onClick={name === first?.name ? undefined : () => answer({ name, text: typed })}
            >
              {words}
            </button>
          ))}
          <button
            type="button"
            class="button"
            autofocus={field === undefined && first?.kind === "danger"}
            onClick={() => answer(null)}
          >
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
