import type { UpdateStatus } from "../model/updates.ts";

/** Instructions for a missing setting, in the words of its form; by the setting's name. */
const WORDS: Readonly<Record<string, string>> = {
  "ota.enabled": "Apps do not look for updates yet: tick “Apps look for updates”.",
  "ota.baseUrl":
    "Players have no address to fetch from: fill in “Address that players fetch from”.",
  "ota.publicKey": "Apps do not know whose updates to trust: create a signing key, and use it.",
  "ota.bundleName": "The bundle has no name: “shell” will do under “Name of the bundle”.",
  "ota.engineApi":
    "No setting says which apps an update fits: start with 1 as “Engine API of the app”.",
  "publish.bucket": "There is no place to publish to: fill in “Bucket to publish to”.",
};

/** A remaining step before publishing. */
interface Step {
  readonly text: string;
  /** The setting that it is about, which a field of the form bears as its name. */
  readonly setting?: string;
}

/** Returns the remaining steps before publishing. */
export function stepsLeft({ missing, problems, key, publicKey }: UpdateStatus): readonly Step[] {
  const steps = missing.flatMap((setting): readonly Step[] => {
    const text = WORDS[setting];
    return text === undefined ? [] : [{ text, setting }];
  });
  const keyStep = !key.exists
    ? "This machine has no signing key: make one, or copy the one of this game."
    : key.reason !== ""
    ? key.reason
    : publicKey !== "" && !key.matches
    ? "The signing key of this machine is not the one that this project's apps trust."
    : null;
  const shownSettings = [
    ...steps.map(({ setting }) => setting),
    ...(keyStep === null ? [] : [KEY]),
  ];
  const others = problems.filter((problem) =>
    problem !== key.reason &&
    !shownSettings.some((name) => name !== undefined && problem.includes(name))
  );
  return [
    ...steps,
    ...(keyStep === null ? [] : [{ text: keyStep, setting: KEY }]),
    ...others.map((text) => ({ text })),
  ];
}

const KEY = "ota.publicKey";

/** The remaining steps; clicking one leads to its field, or to the setup if that is elsewhere. */
export function StepsLeft({ status, title, onSetup }: {
  readonly status: UpdateStatus;
  readonly title: string;
  /** Opens the setup; absent there. */
  readonly onSetup?: () => void;
}) {
  const steps = stepsLeft(status);
  return (
    <section class="card" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {steps.map(({ text, setting }) => (
          <li key={text}>
            {setting === undefined || onSetup !== undefined ? <bdi>{text}</bdi> : (
              <button
                type="button"
                class="link"
                onClick={() => document.getElementsByName(setting)[0]?.focus()}
              >
                <bdi>{text}</bdi>
              </button>
            )}
          </li>
        ))}
      </ul>
      {onSetup !== undefined && (
        <div class="row">
          <button type="button" class="button primary" onClick={onSetup}>Open Setup</button>
        </div>
      )}
    </section>
  );
}
