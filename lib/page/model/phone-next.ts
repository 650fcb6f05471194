import type { PagePhone, PhoneAsked } from "./phone.ts";

// The user's next step with the simulated phone, from an empty phone to a bad update that it
// survives. Derived from the phone's state, so it continues from anywhere.

/** Launches that a version on trial gets (BOOT-3). */
const ATTEMPTS = 3;

/** The next step; without a button it is waited for. */
export interface NextStep {
  readonly text: string;
  readonly button?: { readonly label: string; readonly asked: PhoneAsked };
}

/** The next step of the phone's story. */
export function nextStep(phone: PagePhone): NextStep {
  const { power, doing, boot, versions, source } = phone;
  const open = (label: string) => ({ label, asked: { action: "start" } });
  if (doing !== "") return { text: DOING[doing] ?? "It is at work." };
  if (power === "empty") {
    return {
      text: "See how an update reaches a player, and what a bad one does. The current game is " +
        "built and installed, with a private bucket and a throwaway key: no player sees any of it.",
      button: { label: "Try updates", asked: { action: "start", source: "trial" } },
    };
  }
  if (power === "off") {
    return { text: "The app does not run.", button: open("Open the app") };
  }
  const serves = phone.serves === "embedded" ? versions.embedded : phone.serves;
  if (boot.kind === "failed") {
    const isTrial = versions.pending === phone.serves;
    if (!isTrial) return { text: `${serves} did not start.`, button: open("Open it again") };
    return versions.attempts < ATTEMPTS
      ? {
        text: `This start was not confirmed. After ${ATTEMPTS} such starts, the phone falls back.`,
        button: open(`Open it again: ${versions.attempts + 1} of ${ATTEMPTS}`),
      }
      : {
        text: `${serves} has failed ${ATTEMPTS} times. A player who opens the game now…`,
        button: open("Open it once more"),
      };
  }
  if (boot.kind !== "confirmed") {
    return { text: "The game loads. Its first frame confirms the start." };
  }
  if (versions.pending !== "" && versions.pending !== phone.serves) {
    return {
      text: `${versions.pending} is on the phone and verified. ${serves} is still running: the ` +
        "next start uses the new one.",
      button: open(`Restart into ${versions.pending}`),
    };
  }
  if (versions.pending !== "") {
    return {
      text:
        `${serves} is on trial, confirmed ${versions.confirmed} of 2 times. One more start, and ` +
        "the phone trusts it: a bad update then falls back to it.",
      button: open("Restart the app"),
    };
  }
  return source === "trial" ? nextRelease(phone) : {
    text: "This app takes the project's own updates. Publish one, then check for it.",
    button: { label: "Check for an update", asked: { action: "check" } },
  };
}

/** Returns the next release of a trial whose phone is idle. */
function nextRelease({ published, versions }: PagePhone): NextStep {
  const newest = published.at(-1)?.version ?? "";
  const known = [versions.embedded, versions.active, ...versions.rejected];
  if (!known.includes(newest)) {
    return {
      text:
        `${newest} is published. The game looks for updates at each start; the phone can also ` +
        "look right now.",
      button: { label: "Check for an update", asked: { action: "check" } },
    };
  }
  const next = `v${published.length + 1}`;
  if (published.length === 1) {
    return {
      text:
        `${newest} plays. Change something in the editor if you like, and publish the game again.`,
      button: { label: `Publish ${next}`, asked: { action: "publish" } },
    };
  }
  if (!published.some(({ isBroken }) => isBroken)) {
    return {
      text: `${newest} is trusted. Now try a bad release: half of its first scene is ` +
        "missing, and it is signed like a good one. It goes to this phone alone.",
      button: { label: `Publish ${next}, a broken one`, asked: { action: "publish-broken" } },
    };
  }
  return {
    text: "The phone survived the bad update without help, and rejects it from now on. " +
      "The solution is a new version.",
    button: { label: `Publish ${next}`, asked: { action: "publish" } },
  };
}

const DOING: Readonly<Record<string, string>> = {
  "start": "The app starts.",
  "reset": "The game is built and installed again.",
  "check": "The client looks for an update.",
  "back": "The phone goes back.",
  "publish": "The game is built and published.",
  "publish-broken": "A broken game is built and published.",
};
