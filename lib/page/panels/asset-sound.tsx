import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../core/result.ts";
import type { ProjectAsset } from "../model/assets.ts";
import { wavOf } from "../model/wav-file.ts";
import { contentUrl } from "../wire/content.ts";

/** Largest file that is decoded, in bytes. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Longest sound that is decoded, in seconds: a small file may hold hours. */
const MOST_SECONDS = 1_200;
const HERTZ = 44_100;

/** A sound before, while, and after it is decoded. */
type Heard = { readonly url: string } | { readonly problem: string } | "loading" | null;

interface Shown {
  readonly asset: ProjectAsset;
  readonly stamp: number;
  /** `null` if unknown. */
  readonly seconds: number | null;
}

/**
 * A sound of the project to listen to, once someone asks for it.
 *
 * The file itself goes to no media element: that opens a playlist by its content, whatever its name
 * and type are, and requests the addresses in it (HTTP-13).
 */
export function AssetSound({ asset, stamp, seconds }: Shown) {
  const [heard, setHeard] = useState<Heard>(null);
  const url = heard !== null && typeof heard === "object" && "url" in heard ? heard.url : "";
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  if (url !== "") {
    return <audio class="heard" controls autoplay src={url} aria-label={`Play ${asset.name}`} />;
  }
  if (heard !== null && typeof heard === "object" && "problem" in heard) {
    return <p class="refused padded" role="alert">{heard.problem}</p>;
  }
  return (
    <button
      type="button"
      class="button heard"
      disabled={heard === "loading"}
      onClick={() => {
        setHeard("loading");
        void decoded({ asset, stamp, seconds }).then(setHeard);
      }}
    >
      Listen
    </button>
  );
}

async function decoded({ asset, stamp, seconds }: Shown): Promise<Heard> {
  try {
    if (asset.size > MOST_BYTES || (seconds ?? 0) > MOST_SECONDS) {
      throw new TypeError(
        `found ${asset.size} bytes, expected at most ${MOST_BYTES}, and ${MOST_SECONDS} s`,
      );
    }
    const response = await fetch(contentUrl(asset.path, stamp));
    if (!response.ok) throw new TypeError(`found status ${response.status}`);
    const context = new OfflineAudioContext(1, 1, HERTZ);
    const wav = wavOf(await context.decodeAudioData(await response.arrayBuffer()));
    return { url: URL.createObjectURL(new Blob([wav], { type: "audio/wav" })) };
  } catch (thrown) {
    return { problem: `Cannot play this sound: ${messageOf(thrown)}` };
  }
}
