import { useEffect, useId, useState } from "preact/hooks";
import { isRecord } from "../../core/json.ts";
import { hasThumbnail } from "../model/asset-facts.ts";
import { assetByName, assetsStamp, type ProjectAsset } from "../model/assets.ts";
import { Icon } from "../parts/icon.tsx";
import { contentJson, contentUrl } from "../wire/content.ts";
import { iconOf } from "./asset-icon.ts";
import { numberOf, textOrEmpty } from "../wire/read.ts";

const COLOR = /^#[\da-f]{6}(?:[\da-f]{2})?$/i;

/** Preview of an asset: its picture, font or material; otherwise an icon of its type. */
export function AssetPreview({ asset }: { readonly asset: ProjectAsset }) {
  const { type, path } = asset;
  if (hasThumbnail(asset)) return <Picture path={path} type={type} />;
  switch (type) {
    case "font":
      return /\.json$/i.test(path) ? <TypeIcon type={type} /> : <Letters asset={asset} />;
    case "material":
    case "environment":
    case "particle":
    case "sprite":
      return <Drawn asset={asset} />;
    default:
      return <TypeIcon type={type} />;
  }
}

function TypeIcon({ type }: { readonly type: string }) {
  return (
    <span class={`type-icon type-${type}`}>
      <Icon name={iconOf(type)} />
    </span>
  );
}

function Picture({ path, type }: { readonly path: string; readonly type: string }) {
  const [isBroken, setBroken] = useState(false);
  const url = contentUrl(path, assetsStamp.value);
  useEffect(() => setBroken(false), [url]);
  if (isBroken) return <TypeIcon type={type} />;
  return (
    <img
      class="checkered"
      src={url}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => setBroken(true)}
    />
  );
}

/** A few letters of a font file. */
function Letters({ asset }: { readonly asset: ProjectAsset }) {
  const [family, setFamily] = useState("");
  const stamp = assetsStamp.value;
  useEffect(() => {
    const name = `asset ${asset.guid}`;
    const face = new FontFace(name, `url("${contentUrl(asset.path, stamp)}")`);
    face.load().then(() => {
      document.fonts.add(face);
      setFamily(name);
    }, () => setFamily(""));
    return () => void document.fonts.delete(face);
  }, [asset.path, stamp]);
  if (family === "") return <TypeIcon type="font" />;
  return <span class="letters" style={{ fontFamily: `"${family}"` }}>Aa</span>;
}

/** Preview of an asset whose file is JSON. */
function Drawn({ asset }: { readonly asset: ProjectAsset }) {
  const [content, setContent] = useState<unknown>(null);
  const stamp = assetsStamp.value;
  useEffect(() => {
    let isOld = false;
    void contentJson(asset.path, stamp).then((value) => {
      if (!isOld) setContent(value);
    });
    return () => isOld = true;
  }, [asset.path, stamp]);
  if (!isRecord(content)) return <TypeIcon type={asset.type} />;
  switch (asset.type) {
    case "material":
      return <Ball content={content} />;
    case "environment":
      return <Heaven content={content} />;
    case "particle":
      return <Sparks content={content} />;
    default:
      return <SpritePart content={content} />;
  }
}

type Content = Readonly<Record<string, unknown>>;

/** A material on a ball. */
function Ball({ content }: { readonly content: Content }) {
  const id = useId();
  const color = colorIn(content, "color", "#ffffff");
  const texture = urlOf(content["texture"]);
  const glow = colorIn(content, "emissive", "#000000");
  const shine = 1 - numberOf(content["roughness"], 1);
  return (
    <svg class="drawn" viewBox="0 0 64 64" aria-hidden="true">
      <defs>
        <clipPath id={`${id}-ball`}>
          <circle cx="32" cy="32" r="28" />
        </clipPath>
        <radialGradient id={`${id}-light`} cx="36%" cy="30%" r="75%">
          <stop offset="0" stop-color="#ffffff" stop-opacity={0.15 + shine * 0.75} />
          <stop offset={0.12 + (1 - shine) * 0.4} stop-color="#ffffff" stop-opacity="0" />
          <stop offset="0.6" stop-color="#000000" stop-opacity="0" />
          <stop offset="1" stop-color="#000000" stop-opacity="0.6" />
        </radialGradient>
      </defs>
      <g clip-path={`url(#${id}-ball)`}>
        <rect width="64" height="64" fill="#ffffff" />
        {texture !== null && (
          <image href={texture} width="64" height="64" preserveAspectRatio="xMidYMid slice" />
        )}
        <rect class="multiplied" width="64" height="64" fill={color} />
        {content["unlit"] !== true && <rect width="64" height="64" fill={`url(#${id}-light)`} />}
        <rect class="screened" width="64" height="64" fill={glow} />
      </g>
    </svg>
  );
}

/** The colours of an environment. */
function Heaven({ content }: { readonly content: Content }) {
  const id = useId();
  return (
    <svg class="drawn" viewBox="0 0 64 64" aria-hidden="true">
      <linearGradient id={id} x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color={colorIn(content, "sky", "#87b5d9")} />
        <stop offset="0.5" stop-color={colorIn(content, "horizon", "#d9e4ec")} />
        <stop offset="0.52" stop-color={colorIn(content, "ground", "#5b5b52")} />
      </linearGradient>
      <rect x="4" y="4" width="56" height="56" rx="6" fill={`url(#${id})`} />
    </svg>
  );
}

/** The colours of particles, from first to last. */
function Sparks({ content }: { readonly content: Content }) {
  const colors = [colorIn(content, "color", "#ffffff"), colorIn(content, "endColor", "#ffffff00")];
  return (
    <svg class="drawn dark-ground" viewBox="0 0 64 64" aria-hidden="true">
      {[[32, 50, 7], [26, 38, 6], [38, 32, 5], [29, 22, 4], [38, 14, 3]].map(([x, y, r], n) => (
        <g key={n}>
          <circle cx={x} cy={y} r={r} fill={colors[0]} opacity={1 - n / 5} />
          <circle cx={x} cy={y} r={r} fill={colors[1]} opacity={n / 5} />
        </g>
      ))}
    </svg>
  );
}

/** The part of a texture that a sprite shows. */
function SpritePart({ content }: { readonly content: Content }) {
  const texture = urlOf(content["image"]);
  const [x, y, w, h] = ["x", "y", "w", "h"].map((name) => numberOf(content[name], 1));
  const [size, setSize] = useState<readonly [number, number] | null>(null);
  useEffect(() => {
    if (texture === null) return;
    const image = new Image();
    image.onload = () => setSize([image.naturalWidth, image.naturalHeight]);
    image.src = texture;
  }, [texture]);
  if (texture === null || size === null) return <TypeIcon type="sprite" />;
  return (
    <svg class="drawn checkered" viewBox={`${x} ${y} ${w} ${h}`} aria-hidden="true">
      <image href={texture} width={size[0]} height={size[1]} />
    </svg>
  );
}

function colorIn(content: Content, name: string, otherwise: string): string {
  const color = textOrEmpty(content[name]);
  return COLOR.test(color) ? color : otherwise;
}

/** Returns the URL of the texture that a field names. */
function urlOf(value: unknown): string | null {
  const asset = assetByName.value.get(textOrEmpty(value));
  return asset?.type === "texture" && hasThumbnail(asset)
    ? contentUrl(asset.path, assetsStamp.value)
    : null;
}
