import { useEffect, useState } from "preact/hooks";
import { isRecord } from "../../core/json.ts";
import { sizeText } from "../../core/sizes.ts";
import { deleteAsset, moveAsset, openAsset, placeAsset } from "../model/asset-actions.ts";
import { factLines } from "../model/asset-facts.ts";
import { entityShowing } from "../model/asset-kinds.ts";
import { assetByName, assetsStamp, type ProjectAsset } from "../model/assets.ts";
import { isStopped } from "../model/editor.ts";
import { Icon } from "../parts/icon.tsx";
import { MenuButton } from "../parts/menu.tsx";
import { callService, fetchProducer } from "../wire/service.ts";
import { AssetFields } from "./asset-fields.tsx";
import { AssetPreview } from "./asset-preview.tsx";
import { AssetSound } from "./asset-sound.tsx";
import { iconOf } from "./asset-icon.ts";
import { AssetUses } from "./asset-uses.tsx";

/** Largest asset whose content is loaded, in bytes. */
const MOST_BYTES = 256 * 1024;
/** Characters of the content that are shown. */
const MOST_CHARACTERS = 20_000;

/** Loaded facts of an asset. */
interface Known {
  readonly path: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly facts: Readonly<Record<string, unknown>>;
  /** `null` if binary or large. */
  readonly content: unknown;
  /** Why it could not be loaded; otherwise empty. */
  readonly problem: string;
}

/** A selected asset: its preview, facts, settings, fields and users. */
export function AssetInspector({ path }: { readonly path: string }) {
  const asset = assetByName.value.get(path);
  const [known, setKnown] = useState<Known | null>(null);
  const stamp = assetsStamp.value;
  useEffect(() => {
    let isOld = false;
    if (asset !== undefined) {
      void knownOf(asset).then((found) => {
        if (!isOld) setKnown(found);
      });
    }
    return () => isOld = true;
  }, [path, stamp]);
  if (asset === undefined) {
    return (
      <div class="panel inspector">
        <p class="empty dim">Loading…</p>
      </div>
    );
  }
  const isKnown = known !== null && known.path === path;
  return (
    <div class="panel inspector">
      <div class="scroll">
        <AssetHeader asset={asset} />
        <Shown asset={asset} />
        {isKnown && known.problem !== "" && (
          <p class="refused padded" role="alert">{known.problem}</p>
        )}
        {isKnown && known.problem === "" && (
          <>
            {asset.type === "audio" && (
              <AssetSound
                key={path}
                asset={asset}
                stamp={stamp}
                seconds={typeof known.facts["seconds"] === "number" ? known.facts["seconds"] : null}
              />
            )}
            <dl class="facts">
              <Fact name="Type" text={asset.type} />
              <Fact name="File" text={sizeText(asset.size)} />
              {factLines(known.facts).map(([name, text]) => (
                <Fact key={name} name={name} text={text} />
              ))}
            </dl>
            <AssetFields asset={asset} meta={known.meta} content={known.content} />
            <Content content={known.content} />
            <AssetUses path={path} />
          </>
        )}
      </div>
    </div>
  );
}

function AssetHeader({ asset }: { readonly asset: ProjectAsset }) {
  const isLocked = !isStopped.value;
  const canPlace = asset.type === "prefab" || entityShowing(asset) !== null;
  const canOpen = ["scene", "animation", "timeline"].includes(asset.type);
  return (
    <>
      <header class="entity">
        <span class="layer">
          <Icon name={iconOf(asset.type)} />
        </span>
        <h2 class="cut">{asset.name.slice(0, 200)}</h2>
        {canPlace && (
          <button
            type="button"
            class="button"
            disabled={isLocked}
            onClick={() => void placeAsset(asset)}
          >
            Place
          </button>
        )}
        {canOpen && (
          <button type="button" class="button" onClick={() => void openAsset(asset)}>Open</button>
        )}
        <MenuButton
          label="More for this asset"
          class="button quiet"
          items={[
            { title: "Rename or move…", keys: "F2", onChoose: () => void moveAsset(asset) },
            {
              title: "Copy guid",
              onChoose: () => void navigator.clipboard?.writeText(asset.guid),
            },
            null,
            {
              title: "Delete…",
              keys: "Delete",
              kind: "danger",
              onChoose: () => void deleteAsset(asset),
            },
          ]}
        >
          <Icon name="menu" />
        </MenuButton>
      </header>
      <p class="dim ids wrapped">{asset.path.slice(0, 1_000)}</p>
    </>
  );
}

/** The asset itself, as large as there is room. */
function Shown({ asset }: { readonly asset: ProjectAsset }) {
  if (["texture", "font", "material", "environment", "particle", "sprite"].includes(asset.type)) {
    return (
      <div class="preview large">
        <AssetPreview asset={asset} />
      </div>
    );
  }
  return null;
}

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

function Content({ content }: { readonly content: unknown }) {
  if (content === null || content === undefined) return null;
  const text = typeof content === "string" ? content : JSON.stringify(content, null, 1) ?? "";
  return (
    <details class="trait">
      <summary>Content</summary>
      <pre tabIndex={0}>
        {text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text}
      </pre>
    </details>
  );
}

/** Loads an asset's facts; skips the content of a large one. */
async function knownOf({ path, size }: ProjectAsset): Promise<Known> {
  const nothing = { path, meta: {}, facts: {}, content: null, problem: "" };
  if (size <= MOST_BYTES) {
    const answer = await fetchProducer("asset", { asset: path });
    if (!answer.ok) return { ...nothing, problem: answer.error.detail };
    const { meta, facts, content } = isRecord(answer.value) ? answer.value : {};
    return {
      ...nothing,
      meta: isRecord(meta) ? meta : {},
      facts: isRecord(facts) ? facts : {},
      content,
    };
  }
  const answer = await callService("get_asset", { asset: path });
  if (!answer.ok) return { ...nothing, problem: answer.error.detail };
  const { guid: _guid, path: _path, type: _type, size: _size, meta, _meta: _identity, ...facts } =
    answer.value;
  return { ...nothing, meta: isRecord(meta) ? meta : {}, facts };
}
