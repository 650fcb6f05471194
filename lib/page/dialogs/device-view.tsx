import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../core/problem.ts";
import { type PageDevice, type Screenshot, screenshotOf } from "../model/devices.ts";
import { whileVisible } from "../model/while-visible.ts";
import { callService } from "../wire/service.ts";
import { DeviceLogs } from "./device-logs.tsx";
import { RefusalText } from "./job-view.tsx";

/** Between two pictures of a screen, in milliseconds. */
const REST_MS = 1_000;
/** Further than this is a drag, in CSS pixels. */
const DRAG_PX = 8;
const KEPT_ANSWERS = 20;

/** A device: its screen, to be tapped on; its logs; a line that is evaluated there. */
export function DeviceView({ device }: { readonly device: PageDevice }) {
  const can = (what: string) => device.can.includes(what);
  return (
    <div class="device-view">
      {can("screenshot") && <Screen device={device} />}
      <div class="device-facts">
        <h3>
          <bdi>{device.name}</bdi> <span class="badge">{device.transport}</span>
        </h3>
        {can("eval") && <Evaluate device={device.id} />}
        <DeviceLogs device={device} />
      </div>
    </div>
  );
}

function Screen({ device }: { readonly device: PageDevice }) {
  const [shot, setShot] = useState<Screenshot | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [touches, setTouches] = useState(0);
  const begun = useRef<{ readonly x: number; readonly y: number } | null>(null);
  const canTouch = device.can.includes("tap");
  useEffect(() =>
    whileVisible(async (signal) => {
      const taken = await screenshotOf(device.id, signal);
      if (signal.aborted) return;
      if ("url" in taken) {
        setShot(taken);
        setProblem(null);
      } else setProblem(taken);
    }, REST_MS), [device.id, touches]);

  /** Returns the position of a pointer in the picture's own pixels. */
  const pointOf = ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const box = currentTarget instanceof Element ? currentTarget.getBoundingClientRect() : null;
    if (box === null || shot === null) return { x: 0, y: 0 };
    const along = (at: number, from: number, length: number, pixels: number) =>
      Math.round(Math.min(1, Math.max(0, (at - from) / length)) * (pixels - 1));
    return {
      x: along(clientX, box.left, box.width, shot.width),
      y: along(clientY, box.top, box.height, shot.height),
    };
  };
  const touch = async (event: PointerEvent) => {
    const from = begun.current;
    begun.current = null;
    if (from === null || shot === null || !canTouch) return;
    const to = pointOf(event);
    const box = event.currentTarget instanceof Element ? event.currentTarget.clientWidth : 1;
    const far = Math.hypot(to.x - from.x, to.y - from.y) * box / shot.width > DRAG_PX;
    const answer = far && device.can.includes("drag")
      ? await callService("device_drag", {
        device: device.id,
        from: [from.x, from.y],
        to: [to.x, to.y],
      })
      : await callService("device_tap", { device: device.id, ...to });
    setProblem(answer.ok ? null : answer.error);
    setTouches((count) => count + 1);
  };
  return (
    <div class="device-screen">
      {shot === null
        ? problem === null && <p class="empty dim" role="status">Taking a picture…</p>
        : (
          <img
            src={shot.url}
            width={shot.width}
            height={shot.height}
            class={canTouch ? "touchable" : ""}
            alt={`Screen of ${device.name}`}
            draggable={false}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              begun.current = pointOf(event);
            }}
            onPointerUp={(event) => void touch(event)}
            onPointerCancel={() => begun.current = null}
          />
        )}
      {shot !== null && (
        <p class="dim">
          {shot.width} × {shot.height}
          {canTouch ? " · tap or drag on it" : ""}
        </p>
      )}
      {problem !== null && <RefusalText detail={problem.detail} hint={problem.hint} />}
    </div>
  );
}

interface Evaluation {
  readonly number: number;
  readonly asked: string;
  readonly answer: string;
  readonly isRefused: boolean;
}

function Evaluate({ device }: { readonly device: string }) {
  const [line, setLine] = useState("");
  const [answers, setAnswers] = useState<readonly Evaluation[]>([]);
  const run = async (event: Event) => {
    event.preventDefault();
    const asked = line.trim();
    if (asked === "") return;
    setLine("");
    const answer = await callService("device_eval", { device, expression: asked });
    const text = answer.ok
      ? JSON.stringify(answer.value["value"]) ?? "undefined"
      : answer.error.detail;
    setAnswers((before) => [
      ...before.slice(1 - KEPT_ANSWERS),
      { number: (before.at(-1)?.number ?? 0) + 1, asked, answer: text, isRefused: !answer.ok },
    ]);
  };
  return (
    <section aria-label="Evaluate">
      {answers.length > 0 && (
        <div class="device-answers mono" role="log" aria-label="Answers" tabIndex={0}>
          {answers.map(({ number, asked, answer, isRefused }) => (
            <p key={number}>
              <bdi class="dim">{asked}</bdi>
              <bdi class={isRefused ? "level-error" : ""}>{answer}</bdi>
            </p>
          ))}
        </div>
      )}
      <form class="row" onSubmit={(event) => void run(event)}>
        <input
          type="text"
          class="grow mono"
          aria-label="JavaScript to evaluate in the game's page"
          placeholder="document.title"
          spellcheck={false}
          value={line}
          onInput={({ currentTarget }) => setLine(currentTarget.value)}
        />
        <button type="submit" class="button">Evaluate</button>
      </form>
    </section>
  );
}
