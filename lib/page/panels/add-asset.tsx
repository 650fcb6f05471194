import { createAsset, usualFolder } from "../model/asset-actions.ts";
import { schemas } from "../model/asset-schemas.ts";
import { TOP } from "../model/asset-list.ts";
import { assets } from "../model/assets.ts";
import { newScene } from "../model/scenes.ts";
import { Icon } from "../parts/icon.tsx";
import { MenuButton } from "../parts/menu.tsx";

/** Types that are useless while empty. */
const NEED_CONTENT = ["font", "mesh", "sprite"];

/** Imports files, and creates new assets. */
export function AddAsset({ folder, onImport }: {
  /** The open one, ending in `/`. */
  readonly folder: string;
  readonly onImport: () => void;
}) {
  const made = schemas.value.filter(({ type }) => !NEED_CONTENT.includes(type));
  return (
    <MenuButton
      label="Add an asset"
      class="button quiet"
      items={[
        { title: "Import files…", onChoose: onImport },
        null,
        ...made.map(({ type, extension }) => ({
          title: `New ${type}…`,
          onChoose: () =>
            void createAsset({
              type,
              extension,
              folder: folder === TOP ? usualFolder(assets.value, type) : folder,
            }),
        })),
        { title: "New scene…", onChoose: () => void newScene() },
      ]}
    >
      <Icon name="add" />
    </MenuButton>
  );
}
