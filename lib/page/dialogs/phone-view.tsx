import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import { nextStep } from "../model/phone-next.ts";
import {
  doPhone,
  loadPhone,
  type PagePhone,
  phone,
  phoneProblem,
  watchPhone,
} from "../model/phone.ts";
import { openDialog } from "../model/page.ts";
import { isSure } from "../model/questions.ts";
import { Icon } from "../parts/icon.tsx";
import { RefusalText } from "./job-view.tsx";
import { PhoneJourney, PhoneStory, PhoneVersionList } from "./phone-story.tsx";

/** The simulated phone: the game in a frame, and next to it the progress of its update. */
export function PhoneView() {
  useEffect(watchPhone, []);
  const now = phone.value;
  const problem = phoneProblem.value;
  if (now === null) {
    return problem === null ? <p class="empty dim" role="status">Looking at the phone…</p> : (
      <div>
        <RefusalText detail={problem.detail} hint={problem.hint} />
        <button type="button" class="button" onClick={() => void loadPhone()}>Look again</button>
      </div>
    );
  }
  return (
    <div class="phone-view">
      <DrawnPhone now={now} />
      <div class="phone-facts">
        <Next now={now} />
        {problem !== null && <Refused problem={problem} />}
        {now.power !== "empty" && (
          <>
            <PhoneJourney now={now} />
            <PhoneVersionList now={now} />
            <Controls now={now} />
            <PhoneStory events={now.story} />
          </>
        )}
      </div>
    </div>
  );
}

function Refused({ problem }: { readonly problem: Problem }) {
  if (problem.code !== "ota-disabled") {
    return <RefusalText detail={problem.detail} hint={problem.hint} />;
  }
  return (
    <>
      <RefusalText
        detail="The apps of this project do not look for updates yet."
        hint="Set updates up first, or begin with an app of a private bucket."
      />
      <button type="button" class="button" onClick={() => openDialog("publish")}>
        Set up updates
      </button>
    </>
  );
}

function DrawnPhone({ now }: { readonly now: PagePhone }) {
  const { power, page, boot } = now;
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  return (
    <div class="phone-body">
      <div class="phone-screen">
        {page !== "" && isLocal
          ? (
            <iframe
              key={page}
              src={besideThisPage(page)}
              title="The game on the simulated phone"
              sandbox="allow-scripts allow-same-origin"
            />
          )
          : (
            <div class="phone-dark">
              <Icon name="devices" />
              <p>{darkText(power, isLocal)}</p>
            </div>
          )}
      </div>
      <p class="phone-label" role="status">
        <span class={`dot ${boot.kind}`} />
        <bdi>{labelOf(now)}</bdi>
      </p>
    </div>
  );
}

/** Under another name of this machine than this page's: browsers send cookies to all ports of a name. */
function besideThisPage(page: string): string {
  return location.hostname === "localhost" ? page.replace("//localhost:", "//127.0.0.1:") : page;
}

function darkText(power: PagePhone["power"], isLocal: boolean): string {
  if (!isLocal) return "The screen is visible on the machine on which Slipway runs";
  if (power === "empty") return "No app yet";
  return power === "off" ? "The app does not run" : "Load the page again to see the screen";
}

function labelOf({ power, serves, versions, boot }: PagePhone): string {
  if (power === "empty") return "Simulated phone";
  if (power === "off") return "App closed";
  const shown = serves === "embedded" ? `${versions.embedded}, as installed` : serves;
  switch (boot.kind) {
    case "confirmed":
      return `Plays ${shown}`;
    case "failed":
      return `${shown} did not start`;
    default:
      return `Starts ${shown}…`;
  }
}

/** The next step as a large button: pressing one after another shows everything. */
function Next({ now }: { readonly now: PagePhone }) {
  const { text, button } = nextStep(now);
  return (
    <section class="card phone-next" aria-label="What comes next">
      <p role="status">{text}</p>
      <div class="row">
        {button !== undefined && (
          <button
            type="button"
            class="button primary"
            onClick={() => void doPhone(button.asked)}
          >
            {button.label}
          </button>
        )}
        {now.power === "empty" && now.doing === "" && (
          <button
            type="button"
            class="button"
            onClick={() => void doPhone({ action: "start", source: "project" })}
          >
            With the project's own updates
          </button>
        )}
        {now.doing !== "" && <progress aria-label="At work" />}
      </div>
    </section>
  );
}

function Controls({ now }: { readonly now: PagePhone }) {
  const { switches, versions, power, doing, source } = now;
  const isBusy = doing !== "";
  const act = (action: string) => () => void doPhone({ action });
  const other = source === "trial" ? "project" : "trial";
  const reset = async (asked: Readonly<Record<string, string>>, title: string) => {
    const text = "The app, its versions and the phone's private bucket are removed, and the game " +
      "as it is now is installed.";
    if (await isSure({ title, text, done: "Reset the phone" })) {
      await doPhone({ action: "reset", ...asked });
    }
  };
  return (
    <section class="phone-controls" aria-label="The phone and the world around it">
      <div class="row">
        <button type="button" class="button" disabled={isBusy} onClick={act("check")}>
          Check
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={act("start")}>
          {power === "on" ? "Restart" : "Open"}
        </button>
        <button type="button" class="button" disabled={power !== "on"} onClick={act("kill")}>
          Kill
        </button>
        <button
          type="button"
          class="button"
          disabled={isBusy || (versions.active === "" && versions.pending === "")}
          onClick={act("back")}
        >
          Go back
        </button>
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => void reset({}, "Reset the phone")}
        >
          Reset…
        </button>
      </div>
      <div class="row">
        <Switch name="network" label="Network" isOn={switches.network} />
        <Switch name="diskFull" label="Disk full" isOn={switches.diskFull} />
        <Switch name="breakBoot" label="Break the next start" isOn={switches.breakBoot} />
        <button
          type="button"
          class="button end"
          disabled={isBusy}
          onClick={() => void reset({ source: other }, "Install another app")}
        >
          {other === "project" ? "Use the project's updates…" : "Use a private bucket…"}
        </button>
      </div>
    </section>
  );
}

function Switch({ name, label, isOn }: {
  readonly name: string;
  readonly label: string;
  readonly isOn: boolean;
}) {
  // Until the phone has answered, reports of its earlier state must not revert the switch.
  const [asked, setAsked] = useState<boolean | null>(null);
  const turn = async (isWanted: boolean) => {
    setAsked(isWanted);
    await doPhone({ [name]: isWanted });
    setAsked(null);
  };
  return (
    <label class="row">
      <input
        type="checkbox"
        checked={asked ?? isOn}
        onChange={({ currentTarget }) => void turn(currentTarget.checked)}
      />
      {label}
    </label>
  );
}
