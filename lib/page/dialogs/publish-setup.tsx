import { useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import { say } from "../model/notices.ts";
import { isSure } from "../model/questions.ts";
import { bucketUrl, changeUpdates, makeKey, type UpdateStatus } from "../model/updates.ts";
import { Icon } from "../parts/icon.tsx";
import { NotStarted } from "./job-view.tsx";
import { StepsLeft, stepsLeft } from "./publish-steps.tsx";

/** Requirements of publishing: the key, and the settings. */
export function PublishSetup({ status }: { readonly status: UpdateStatus }) {
  return (
    <>
      {stepsLeft(status).length === 0
        ? (
          <p class="outcome">
            <Icon name="check" /> All that a publish needs is set.
          </p>
        )
        : <StepsLeft status={status} title="What is missing" />}
      <SigningKey status={status} />
      <Settings status={status} />
    </>
  );
}

function SigningKey({ status: { key, publicKey } }: { readonly status: UpdateStatus }) {
  const [refused, setRefused] = useState<Problem | null>(null);
  /** The file of the key that was made here. */
  const [made, setMade] = useState("");
  const make = async () => {
    const sure = await isSure({
      title: "Make a signing key?",
      text: `Makes the key “${key.name}” in your user folder. If an app of this game is out, it ` +
        "refuses everything that a new key signs.",
      done: "Make the key",
    });
    if (!sure) return;
    const made = await makeKey();
    setRefused(made.ok ? null : made.error);
    if (made.ok) setMade(made.value);
  };
  const use = async () => {
    const sure = publicKey === "" || await isSure({
      title: "Replace the project's key?",
      text: `The project names another key, ${publicKey}. Apps that are out trust that one alone ` +
        "and refuse everything that is published with this one. Replace it only if no app is out " +
        "yet.",
      done: "Replace the key",
    });
    if (sure) setRefused(await changeUpdates({ ota: { publicKey: key.publicKey } }));
  };
  return (
    <section class={`card ${key.matches ? "serves" : "required"}`} aria-label="Signing key">
      <div class="row">
        <Icon name={key.matches ? "check" : "error"} />
        <h3>Signing key</h3>
        <span class="dim">
          {!key.exists
            ? "there is none on this machine"
            : key.matches
            ? `“${key.name}”, the one that this project's apps trust`
            : "not the one that this project's apps trust"}
        </span>
      </div>
      {key.publicKey !== "" && (
        <p class="dim">
          Its public half: <bdi class="mono">{key.publicKey}</bdi>
        </p>
      )}
      {made !== "" && (
        <p>
          It was made, and lies in{" "}
          <bdi class="mono">{made}</bdi>. Back that file up now: nothing else can sign for these
          apps.
        </p>
      )}
      {key.exists && key.reason !== "" && (
        <p>
          <bdi>{key.reason}</bdi>
        </p>
      )}
      {!key.exists && (
        <>
          <p>
            Apps take only updates that this key signed, for as long as they are installed. It is
            made once and never again: back its file up, and keep it out of the repository. If
            another machine has the key of this game, copy that file instead.
          </p>
          <button
            type="button"
            class="button"
            name="ota.publicKey"
            onClick={() => void make()}
          >
            Make a key…
          </button>
        </>
      )}
      {key.publicKey !== "" && !key.matches && (
        <button
          type="button"
          class={`button ${publicKey === "" ? "primary" : ""}`}
          name="ota.publicKey"
          onClick={() => void use()}
        >
          Use it for this project{publicKey === "" ? "" : "…"}
        </button>
      )}
      <NotStarted problem={refused} />
    </section>
  );
}

function Settings({ status }: { readonly status: UpdateStatus }) {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [chosen, setChosen] = useState<boolean | null>(null);
  const enabled = chosen ?? status.enabled;
  const [refused, setRefused] = useState<Problem | null>(null);
  const fields = [
    [
      "ota.baseUrl",
      "Address that players fetch from",
      status.baseUrl,
      "https://updates.example/game",
    ],
    ["publish.bucket", "Bucket to publish to", bucketUrl.value, "s3://games/harbor"],
    ["ota.bundleName", "Name of the bundle", status.bundleName, "shell"],
    ["ota.engineApi", "Engine API of the app", String(status.engineApi || ""), "1"],
  ] as const;
  const save = async () => {
    const values = new Map(fields.map(([name, , set]) => [name, (typed[name] ?? set).trim()]));
    const given = (name: (typeof fields)[number][0]) => values.get(name) || null;
    const engineApi = values.get("ota.engineApi") ?? "";
    const problem = await changeUpdates({
      ota: {
        enabled,
        baseUrl: given("ota.baseUrl"),
        bundleName: given("ota.bundleName"),
        // Text that is not a number is sent as typed: the service reports what it expects.
        engineApi: /^\d{1,9}$/.test(engineApi) ? Number(engineApi) : engineApi || null,
      },
      publish: { bucket: given("publish.bucket") },
    });
    setRefused(problem);
    if (problem !== null) return;
    setTyped({});
    setChosen(null);
    say("info", "Saved in project.config.json");
  };
  return (
    <form
      class="card"
      aria-label="Settings of updates"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h3>Settings</h3>
      <div class="form">
        {fields.map(([name, label, set, example]) => (
          <label key={name}>
            {label}
            <input
              type="text"
              name={name}
              value={typed[name] ?? set}
              placeholder={example}
              spellcheck={false}
              autocomplete="off"
              onInput={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
            />
          </label>
        ))}
        <label class="row">
          <input
            type="checkbox"
            name="ota.enabled"
            checked={enabled}
            onChange={({ currentTarget }) => setChosen(currentTarget.checked)}
          />
          Apps look for updates
        </label>
      </div>
      <NotStarted problem={refused} />
      <div class="row">
        <button type="submit" class="button primary end">Save settings</button>
      </div>
    </form>
  );
}
