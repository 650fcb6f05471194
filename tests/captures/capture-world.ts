import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { Service } from "../../lib/service/mod.ts";
import { loadRuntime, loadServe } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { serviceOf } from "../support/service.ts";

/** What a tool answered. */
export interface Called {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** A service on a small project, served over a port. */
export interface CaptureWorld {
  /** The project's folder. */
  readonly root: string;
  /** Of the service. */
  readonly url: string;
  readonly service: Service;
  call(name: string, args?: object): Promise<Called>;
}

/** Pixels of the project's view: few, because they are drawn without a graphics card. */
export const VIEW = { width: 320, height: 200 };

/** Runs `work` with a service on a project of a red box before a camera. */
export async function withCaptureWorld(
  work: (world: CaptureWorld) => Promise<void>,
  change: (runtime: Runtime) => Runtime = (runtime) => runtime,
  token?: string,
): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, "project");
    writeCaptureProject(root);
    const service = await serviceOf(change(await loadRuntime()), root, token);
    const server = await (await loadServe())(service.handler, { hostname: "127.0.0.1", port: 0 });
    assert.ok(server.ok);
    const { url, port } = server.value;
    service.servedAt(port);
    const call = async (name: string, args: object = {}) => {
      const response = await fetch(`${url}/api/tools/${name}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(args),
      });
      return { status: response.status, body: await response.json() };
    };
    try {
      await work({ root, url, service, call });
    } finally {
      await service.close();
      await server.value.close();
    }
  });
}

/** Writes a project of a red box before a camera. */
export function writeCaptureProject(root: string): void {
  const scenes = join(root, "assets", "scenes");
  mkdirSync(scenes, { recursive: true });
  const write = (path: string, value: object) =>
    writeFileSync(join(root, path), JSON.stringify(value));
  write("project.config.json", {
    name: "Captures",
    startScene: "assets/scenes/main.scene.json",
    build: { web: { out: "dist" } },
    viewport: VIEW,
  });
  write("assets/scenes/main.scene.json", {
    schema: 1,
    name: "main",
    entities: [
      {
        guid: "11111111-1111-4111-8111-111111111111",
        name: "Camera",
        layer: "3d",
        traits: { Transform: { z: 8 }, Camera: {} },
      },
      {
        guid: "22222222-2222-4222-8222-222222222222",
        name: "Light",
        layer: "3d",
        traits: { Transform: { rx: -40, ry: 30 }, Light: {} },
      },
      {
        guid: "33333333-3333-4333-8333-333333333333",
        name: "Box",
        layer: "3d",
        traits: { Transform: { x: -2 }, Renderable3D: { mesh: "box" } },
      },
    ],
  });
}
