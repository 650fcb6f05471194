import { useEffect, useState } from "preact/hooks";
import { select, selectAsset } from "../model/actions.ts";
import { fetchUses, type PageAssetUse } from "../model/asset-actions.ts";
import { assetByName, assetsStamp } from "../model/assets.ts";
import { childrenByParent, scene } from "../model/scene.ts";

/** Uses that are shown. */
const MOST = 200;

/** Users of an asset; clicking one selects it. */
export function AssetUses({ path }: { readonly path: string }) {
  const [uses, setUses] = useState<readonly PageAssetUse[] | null>(null);
  const stamp = assetsStamp.value;
  const { rev } = scene.value;
  useEffect(() => {
    let isOld = false;
    void fetchUses(path).then((found) => {
      if (!isOld) setUses(found);
    });
    return () => isOld = true;
  }, [path, stamp, rev]);
  return (
    <details class="trait" open>
      <summary>Uses {uses !== null && <span class="badge">{uses.length}</span>}</summary>
      {uses?.length === 0 && <p class="dim padded">Nothing uses it.</p>}
      <ul class="uses" aria-label="Uses">
        {uses?.slice(0, MOST).map((use) => (
          <li key={`${use.path} ${use.where}`}>
            <Use use={use} />
          </li>
        ))}
      </ul>
      {uses !== null && uses.length > MOST && (
        <p class="dim padded">and {uses.length - MOST} more</p>
      )}
    </details>
  );
}

function Use({ use: { path, where } }: { readonly use: PageAssetUse }) {
  const isOpenScene = path === scene.value.path;
  const entity = isOpenScene ? entityAt(where) : null;
  const end = where.lastIndexOf("/") + 1;
  // Names with right-to-left characters would reorder the text after them: the field, or the path.
  const text = (
    <>
      <bdi>{where.slice(0, end).slice(0, 200)}</bdi>
      {where.slice(end).slice(0, 200)}
    </>
  );
  const file = path.split("/").at(-1)?.slice(0, 120);
  const go = entity !== null
    ? () => select([entity])
    : assetByName.value.has(path)
    ? () => selectAsset(path)
    : null;
  return go === null
    ? (
      <span class="use">
        {text} <span class="dim">{file}</span>
      </span>
    )
    : (
      <button type="button" class="use link" onClick={go}>
        {text} <span class="dim">{isOpenScene ? "here" : file}</span>
      </button>
    );
}

/** The entity that `Docks/Crate 1/Renderable3D.material` is on: a path of names, then a field. */
function entityAt(where: string): number | null {
  const end = where.lastIndexOf("/");
  if (end < 0) return null;
  return found(null, where.slice(0, end));
}

/**
 * Finds an entity by its path. Names may contain slashes, so each child whose name starts the rest
 * is followed.
 */
function found(parent: number | null, path: string): number | null {
  for (const { id, name } of childrenByParent.value.get(parent) ?? []) {
    if (name === path) return id;
    if (!path.startsWith(`${name}/`)) continue;
    const below = found(id, path.slice(name.length + 1));
    if (below !== null) return below;
  }
  return null;
}
