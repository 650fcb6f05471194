import { useLayoutEffect, useRef } from "preact/hooks";
import { sizeText } from "../../core/sizes.ts";
import type { PagePhone, PagePhoneEvent } from "../model/phone.ts";
import { timeOf } from "../model/time.ts";

/** The stages of an update, in the order of the client and the device. */
const STEPS = [
  ["checking", "Check"],
  ["verifying", "Verify"],
  ["staging", "Stage"],
  ["activating", "Activate"],
  ["booting", "Boot"],
  ["confirmed", "Confirm"],
] as const;

/** Progress of an update. */
export function PhoneJourney({ now }: { readonly now: PagePhone }) {
  const { phase, boot, staging } = now;
  const at = phase === "idle" && boot.kind === "confirmed" ? "confirmed" : phase;
  const isMoving = staging !== null && phase === "staging";
  return (
    <section aria-label="The way of an update">
      <ol class="phone-steps">
        {STEPS.map(([name, title]) => (
          <li
            key={name}
            class={name === "booting" && boot.kind === "failed" ? "failed" : ""}
            aria-current={name === at ? "step" : undefined}
          >
            {title}
          </li>
        ))}
      </ol>
      {staging !== null && (
        <p class="dim phone-staging">
          {isMoving && (
            <progress
              aria-label={`Staging ${staging.version}`}
              value={staging.bytesDone}
              max={Math.max(1, staging.bytesTotal)}
            />
          )}
          <bdi>{staging.version}</bdi>: {sizeText(staging.bytesDone)}
          {staging.bytesTotal > 0 && ` of ${sizeText(staging.bytesTotal)}`} fetched,{" "}
          {staging.filesDone} of {staging.filesTotal} files in place
        </p>
      )}
    </section>
  );
}

/** The versions on the phone, with their roles. */
export function PhoneVersionList({ now: { versions, serves } }: { readonly now: PagePhone }) {
  const { embedded, active, pending, previous, rejected, confirmed, attempts } = versions;
  const trial = pending === serves
    ? `on trial, start ${attempts} of 3, confirmed ${confirmed}`
    : "";
  return (
    <dl class="phone-versions">
      <Version title="In the app" version={embedded} isServed={serves === "embedded"} />
      <Version title="Active" version={active} isServed={serves === active} note="trusted" />
      <Version
        title="Pending"
        version={pending}
        isServed={serves === pending}
        note={trial || "staged"}
      />
      <Version title="Previous" version={previous} isServed={false} />
      <Version title="Quarantined" version={rejected.join(", ")} isServed={false} kind="bad" />
    </dl>
  );
}

function Version({ title, version, isServed, note = "", kind = "" }: {
  readonly title: string;
  readonly version: string;
  readonly isServed: boolean;
  readonly note?: string;
  readonly kind?: string;
}) {
  const exists = version !== "";
  return (
    <div class={exists && isServed ? "served" : ""}>
      <dt>{title}</dt>
      <dd class={exists ? kind : "dim"}>
        <bdi>{exists ? version : "none"}</bdi>
        {exists && note !== "" && <span class="dim">{note}</span>}
        {exists && isServed && <span class="badge">plays</span>}
      </dd>
    </div>
  );
}

/** The event log, newest last; it stays scrolled to its end. */
export function PhoneStory({ events }: { readonly events: readonly PagePhoneEvent[] }) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [events.at(-1)?.seq]);
  return (
    <div class="phone-log" role="log" aria-label="What happened" tabIndex={0} ref={list}>
      {events.map(({ seq, t, mood, text }) => (
        <p key={seq} class={`mood-${mood}`}>
          <time class="dim">{timeOf(t)}</time>
          <bdi>{text}</bdi>
        </p>
      ))}
    </div>
  );
}
