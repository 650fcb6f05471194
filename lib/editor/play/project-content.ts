import { attempt } from "../../core/attempt.ts";
import { atResolved } from "../../core/inside.ts";
import { ok } from "../../core/result.ts";
import type { GameContent } from "../../game/world/mod.ts";
import { soundLength } from "../assets/sound-length.ts";
import { readProjectFile, resolvedIn } from "../files/project-files.ts";
import type { EditorCore } from "../session/editor-core.ts";
import { readSceneAt } from "../session/scene-files.ts";

/** Returns the content of games, read from a project's folder. */
export function projectContent(core: EditorCore): GameContent {
  const { files, root, traits, maxEntities, parsing } = core;
  return {
    traits,
    maxEntities,
    parsing,
    get assets() {
      return core.scan.assets;
    },
    get details() {
      return core.scan.details;
    },
    async readAsset({ path }, maxBytes) {
      const read = await readProjectFile(files, root, { path, maxBytes });
      return read.ok ? read.value : null;
    },
    async soundLength({ path }) {
      const location = await resolvedIn(files, root, path);
      if (!location.ok) return null;
      const read = await attempt(() => soundLength(atResolved(files), location.value));
      return read.ok ? read.value : null;
    },
    async readScene(path) {
      const read = await readSceneAt(core, path);
      return read.ok ? ok(read.value.scene) : read;
    },
  };
}
