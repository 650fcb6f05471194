import { KEYS } from "../model/keys.ts";

/**
 * List of all keys, generated from the table that the page listens by. It takes the focus, so that
 * arrow keys scroll it.
 */
export function Keys() {
  return (
    <div class="keys" tabIndex={0}>
      {Object.entries(KEYS).map(([where, list]) => (
        <section key={where} aria-label={where}>
          <h3>{where}</h3>
          <dl>
            {list.map(({ keys, does }) => (
              <div key={`${keys.join()} ${does}`}>
                <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
