import { KEYS } from "../model/keys.ts";

/** All keys, as the page listens to them. */
export function Keys() {
  return (
    <div class="keys">
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
