import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { serviceOf } from "../support/service.ts";
import { until } from "../support/until.ts";
import { NO_CHROMIUM, wasSaid, withEditorPage } from "./editor-page.ts";
import { box, entity, opening } from "./picture-page.ts";

// What happens to a page whose network goes, and whose service dies and is started again.

const ENTITIES = [
  entity(1, "Eye", { Transform: { z: 10 }, Camera: {} }),
  entity(2, "Light", { Light: { kind: "ambient", intensity: 3 } }),
  entity(3, "Box", { ...box(0), Rotate: { y: 90 } }),
];

/** A way to a port that can be cut off, and opened again. */
async function wayTo(port: number) {
  const sockets = new Set<Socket>();
  const join = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // it is cut off: that is the point
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  /** What lets bytes through again, while none are. */
  let held: (() => void)[] | null = null;
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((from) => {
    const to = join(connect(port, "127.0.0.1"));
    const pair = [join(from), to] as const;
    const flow = () => void from.pipe(to).pipe(from);
    if (held === null) flow();
    else held.push(flow);
    pairs.add(pair);
    from.on("close", () => pairs.delete(pair));
    from.on("close", () => to.destroy());
    to.on("close", () => from.destroy());
  });
  const open = (at: number) =>
    new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  await open(0);
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port: own } = address;
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  /** Nothing comes through any more, and nothing is closed. */
  const silence = () => {
    held = [];
    for (const [from, to] of pairs) {
      for (const one of [from, to]) one.unpipe().pause();
      held.push(() => void from.pipe(to).pipe(from));
    }
  };
  const speak = () => {
    const flows = held ?? [];
    held = null;
    for (const flow of flows) flow();
  };
  return { url: `http://127.0.0.1:${own}/`, cut, restore: () => open(own), silence, speak };
}

test(
  "a page lives on when its network goes in a game, and when its service is started again",
  { skip: NO_CHROMIUM },
  () => {
    let current: Service;
    let startAgain = (): Promise<void> => Promise.resolve();
    return withEditorPage(async ({ page, url, agent }) => {
      const way = await wayTo(Number(new URL(url).port));
      try {
        await page.goto(way.url);
        await page.getByRole("treeitem", { name: "Box", exact: true }).waitFor();
        await agent("create_entity", { name: "Never saved" });
        await page.getByRole("treeitem", { name: "Never saved" }).waitFor();
        await page.getByRole("tab", { name: "Console" }).click();
        await page.getByRole("button", { name: "Play" }).click();
        const tick = async () => Number(await page.getByLabel("Ticks").textContent());
        await until("the game has run 10 ticks", async () => await tick() > 10);

        await way.cut();
        await page.getByText("connecting", { exact: true }).waitFor();
        const before = await tick();
        await way.restore();
        await page.getByText("connecting", { exact: true }).waitFor({ state: "detached" });
        await until("the page receives ticks again", async () => await tick() > before);
        await page.getByRole("button", { name: "Pause" }).waitFor(); // it is the same game

        await way.cut();
        await startAgain();
        await way.restore();
        await page.getByText("unsaved changes are lost").waitFor();
        await page.getByRole("button", { name: "Play" }).waitFor();
        assert.equal(await page.getByRole("treeitem", { name: "Never saved" }).count(), 0);
        // It is the new one whose console is read, and whose changes are seen.
        const { entries } = await agent("get_console_logs", {});
        const line = new Date(entries.at(-1).t).toTimeString().slice(0, 8);
        await page.getByRole("tabpanel").getByText(line).first().waitFor();
        await agent("create_entity", { name: "Later" });
        await page.getByRole("treeitem", { name: "Later" }).waitFor();
      } finally {
        await way.cut();
      }
    }, {
      prepare: opening(ENTITIES),
      says: /ERR_|Failed to load/,
      open: async (root) => {
        const runtime = await loadRuntime();
        current = await serviceOf(runtime, root);
        let port = 0;
        startAgain = async () => {
          await current.close();
          current = await serviceOf(runtime, root);
          current.servedAt(port);
        };
        return {
          ...current,
          handler: (request, peer) => current.handler(request, peer),
          servedAt: (at) => current.servedAt(port = at),
          close: () => current.close(),
        };
      },
    });
  },
);

test(
  "a page says that nobody answers where its network only goes silent, and goes on where it was",
  { skip: NO_CHROMIUM },
  () =>
    withEditorPage(async ({ page, url, agent }) => {
      const way = await wayTo(Number(new URL(url).port));
      try {
        await page.clock.install(); // its deadlines are passed when the test says so
        await page.goto(way.url);
        await page.getByRole("treeitem", { name: "Box", exact: true }).waitFor();
        await agent("create_entity", { name: "Before" });
        await page.getByRole("treeitem", { name: "Before" }).waitFor();
        const asked: URL[] = [];
        page.on("request", (request) => asked.push(new URL(request.url())));
        way.silence();
        await agent("create_entity", { name: "Meanwhile" });
        await page.clock.fastForward(11_000);
        await page.getByText("Slipway does not answer").waitFor();
        await page.clock.fastForward(11_000); // nor does it the next time
        assert.equal(await page.getByText("Slipway does not answer").count(), 1);
        way.speak();
        await page.clock.fastForward(11_000);
        await wasSaid(page, "Slipway answers again");
        await page.getByRole("treeitem", { name: "Meanwhile" }).waitFor();
        // The clock may have jumped just after it was heard: then it is said once more, and taken back.
        await until("the notice of the silent service is gone", async () =>
          await page.getByText("Slipway does not answer").count() === 0);
        const streams = asked.filter(({ pathname }) =>
          pathname === "/api/changes"
        );
        assert.ok(streams.length >= 2);
        assert.ok(streams.every(({ search }) => /^\?since=[0-9a-f]{8}:\d+$/.test(search)));
        assert.ok(!asked.some(({ pathname }) => pathname === "/api/whole/scene")); // nothing was lost
      } finally {
        await way.cut();
      }
    }, { prepare: opening(ENTITIES), says: /ERR_|Failed to load/ }),
);
