import { useState } from "preact/hooks";
import { openSession } from "../wire/service.ts";

/** Asks for the service's token, if one is required and the address contained none. */
export function SignIn({ why }: { readonly why: string }) {
  const [problem, setProblem] = useState(why);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const token = new FormData(event.currentTarget).get("token");
    const opened = await openSession(typeof token === "string" ? token.trim() : "");
    if (opened.ok) location.reload();
    else setProblem(opened.error.detail);
  };
  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <h1>Slipway</h1>
        <label>
          Token of this service
          <input name="token" type="password" autocomplete="off" required />
        </label>
        <p class="dim">The terminal that started it has printed the token.</p>
        <p role="alert">{problem}</p>
        <button type="submit" class="button primary">Open</button>
      </form>
    </main>
  );
}
