// What an editor's page does to show a scene and to follow a game: bundled for the browser, called by
// the tests. Typed as pages are, which no runtime's types allow: hence its ending.
import { openSceneView } from "../../lib/game-web/mod.ts";

type SceneView = Awaited<ReturnType<typeof openSceneView>>;
type Mode = SceneView["mode"];
type Made = Parameters<typeof openSceneView>[0]["made"];

const host = document.querySelector("main") ?? document.body;

// deno-lint-ignore no-explicit-any
async function fetchProducer(producer: string): Promise<any> {
  const response = await fetch(`/api/whole/${producer}`);
  return await response.json();
}

/** Opens a view of the service's scene that follows all that happens. */
async function open(mode: Mode, made: Made) {
  const view = await openSceneView({ base: "/api/content/", canvasHost: host, made });
  view.mode = mode;
  let frames = 0;
  view.onFrame = () => frames++;
  const { entities, rev } = await fetchProducer("scene");
  view.show(entities, rev);
  const source = new EventSource("/api/changes");
  await new Promise((resolve) => source.addEventListener("hello", resolve, { once: true }));
  let work = Promise.resolve();
  // deno-lint-ignore no-explicit-any
  const on = (kind: string, take: (change: any) => unknown) =>
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      work = work.then(async () => void await take(JSON.parse(data)));
    });
  on("scene", async ({ entities, removed, rev }) => {
    if (entities !== null) return view.update(entities, removed, rev);
    const scene = await fetchProducer("scene");
    if (!scene.playing) view.show(scene.entities, scene.rev);
  });
  on("assets", () => view.reload());
  on("input", (input) => view.take(input));
  on("play", async ({ state, tick }) => {
    if (state === "stopped") return;
    if (!view.isFollowing) {
      const followed = await view.follow(await fetchProducer("round"));
      if (!followed.ok) throw new Error(followed.error.message);
    }
    await view.advanceTo(tick, { paused: state === "paused" });
  });
  return {
    view,
    frames: () => frames,
    settled: () => work,
    close() {
      source.close();
      view.dispose();
    },
  };
}

/** The colour of what is drawn at a point, in a frame of its own. */
async function colorAt(view: SceneView, x: number, y: number): Promise<readonly number[]> {
  await view.whenLoaded();
  const box = host.getBoundingClientRect();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [box.width, box.height];
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no context");
  // In the same turn as the frame: what WebGL drew is gone with the next.
  await new Promise<void>((resolve) => {
    const before = view.onFrame;
    view.onFrame = () => {
      before?.();
      view.onFrame = before;
      for (const one of host.querySelectorAll("canvas")) {
        if (one.hidden) continue;
        const at = one.getBoundingClientRect();
        context.drawImage(one, at.left - box.left, at.top - box.top, at.width, at.height);
      }
      resolve();
    };
    const { camera } = view;
    view.camera = camera; // another frame
  });
  return [...context.getImageData(x, y, 1, 1).data];
}

Object.assign(globalThis, { page: { open, colorAt, host } });
