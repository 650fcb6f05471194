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

/** The result of decoding: the URL of the sound, or why it cannot be played. */
type Heard = { readonly url: string } | { readonly problem: string };

interface Shown {
  readonly asset: ProjectAsset;
  readonly stamp: number;
  /** `null` if unknown. */
  readonly seconds: number | null;
}

/**
 * A sound of the project to listen to, decoded on request.
 *
 * The file itself is not given to a media element: that opens a playlist by its content, whatever
 * its name and type are, and requests the addresses in it (HTTP-13).
 */
export function AssetSound({ asset, stamp, seconds }: Shown) {
  const [isRequested, setRequested] = useState(false);
  const [heard, setHeard] = useState<Heard | null>(null);
  useEffect(() => {
    if (!isRequested) return;
    const ended = new AbortController();
    let url = "";
    void decoded({ asset, stamp, seconds }, ended.signal).then((wav) => {
      url = URL.createObjectURL(wav);
      setHeard({ url });
    }).catch((thrown) => setHeard({ problem: `Cannot play this sound: ${messageOf(thrown)}` }));
    return () => {
      ended.abort();
      URL.revokeObjectURL(url);
    };
  }, [isRequested]);
  if (heard === null) {
    return (
      <button
        type="button"
        class="button heard"
        disabled={isRequested}
        onClick={() => setRequested(true)}
      >
        Listen
      </button>
    );
  }
  if ("problem" in heard) return <p class="refused padded" role="alert">{heard.problem}</p>;
  return (
    <audio
      class="heard"
      controls
      autoplay
      src={heard.url}
      aria-label={`Play ${asset.name}`}
    />
  );
}

/** Loads and decodes a sound. @returns It as a WAV file. */
async function decoded({ asset, stamp, seconds }: Shown, signal: AbortSignal): Promise<Blob> {
  if (asset.size > MOST_BYTES) {
    throw new TypeError(`found ${asset.size} bytes, expected at most ${MOST_BYTES}`);
  }
  if (seconds !== null && seconds > MOST_SECONDS) {
    throw new TypeError(`found ${Math.round(seconds)} s, expected at most ${MOST_SECONDS}`);
  }
  const response = await fetch(contentUrl(asset.path, stamp), { signal });
  if (!response.ok) throw new TypeError(`found status ${response.status}`);
  const context = new OfflineAudioContext(1, 1, HERTZ);
  const sound = await context.decodeAudioData(await response.arrayBuffer());
  signal.throwIfAborted();
  return new Blob([wavOf(sound)], { type: "audio/wav" });
}
