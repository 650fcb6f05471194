import assert from "node:assert/strict";
import { test } from "node:test";
import { bringIn } from "../support/bring-in.ts";
import { withSampleService } from "../support/project-service.ts";
import { handModels } from "./hand-models.ts";

const { paths, skip } = await handModels();

test(
  "real hands, skinned and animated, are imported, placed, played and watched",
  { skip },
  () =>
    withSampleService(async ({ call, editor, root }) => {
      for (const path of paths) {
        const made = await call("import_file", { file: bringIn(root, path) });
        assert.equal(made.status, 200, made.text);
        const { byType } = made.body;
        assert.deepEqual([byType.animation, byType.animset, byType.prefab], [7, 1, 1]);
        const placed = await call("instantiate_prefab", { prefab: made.body.prefab.guid });
        assert.equal(placed.status, 200, placed.text);
        assert.equal(placed.body.created.length, 19, "18 nodes and the prefab's own root");
        const { id, guid } = placed.body.created[0];
        const top = (await editor.sceneState()).entities.find((entity) => entity.id === id);
        const animset = String(top?.traits["Animator"]?.["animset"]);
        const set = await call("get_asset", { asset: animset, content: true });
        assert.equal(set.status, 200, set.text);
        const clips = Object.keys(set.body.content.clips);
        assert.equal(clips.length, 7);

        const below = (await editor.sceneState()).entities.filter((entity) =>
          entity.parentId === id
        );
        assert.ok(below.length > 0);
        const started = await call("watch", {
          action: "start",
          fields: ["Transform.rx", "Transform.ry", "Transform.rz"],
          guids: placed.body.created.map(({ guid }: { guid: string }) => guid),
        });
        assert.equal(started.status, 200, started.text);
        await call("step_play", { ticks: 1 });
        for (const clip of clips) {
          const played = await call("play_clip", { guid, clip });
          assert.equal(played.status, 200, played.text);
          assert.equal((await call("step_play", { ticks: 30 })).status, 200);
        }
        const read = await call("watch", { action: "read", watch: started.body.id });
        assert.equal(read.status, 200, read.text);
        const moved = read.body.series.filter(({ stats }: { stats: { changes: number } }) =>
          stats.changes > 0
        );
        assert.ok(moved.length > 10, `${moved.length} joints moved`);
        assert.equal((await call("play_control", { action: "stop" })).status, 200);
      }
    }),
);
