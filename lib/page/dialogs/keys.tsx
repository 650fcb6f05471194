import { KEYS } from "../model/keys.ts";

/** All keys, as the page listens to them. It takes the focus: the arrow keys scroll what does not fit. */
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
