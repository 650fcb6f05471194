import { useEffect, useState } from "preact/hooks";
import { runCooperatively } from "../../core/cooperative.ts";
import { messageOf } from "../../core/result.ts";
import type { ProjectAsset } from "../model/assets.ts";
import { wavOf } from "../model/wav-file.ts";
import { contentUrl } from "../wire/content.ts";

/** Largest file that is decoded, in bytes. */
const MOST_BYTES = 32 * 1024 * 1024;
/**
 * Longest sound that is decoded, in seconds: a small file may hold hours. One that states no length
 * is not decoded.
 */
const MOST_SECONDS = 1_200;
const HERTZ = 44_100;

/** The result of decoding: the URL of the sound and the file's version, or why it cannot be played. */
type Heard =
  & {
    /** The stamp of the assets when the sound was requested. */
    readonly stamp: number;
  }
  & (
    | { readonly url: string; readonly version: string | null }
    | { readonly problem: string }
  );

/** A decoded sound as a WAV file. */
interface Decoded {
  readonly wav: Blob;
  readonly version: string | null;
}

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
    void decoded({ asset, stamp, seconds }, ended.signal).then(({ wav, version }) => {
      url = URL.createObjectURL(wav);
      setHeard({ url, version, stamp });
    }).catch((thrown) =>
      setHeard({ problem: `Cannot play this sound: ${messageOf(thrown)}`, stamp })
    );
    return () => {
      ended.abort();
      URL.revokeObjectURL(url);
    };
  }, [isRequested]);
  // Assets have changed: if this one has, the new sound is decoded when it is asked for.
  useEffect(() => {
    if (heard === null || heard.stamp === stamp) return;
    const ended = new AbortController();
    void versionOf(asset.path, stamp, ended.signal).then((version) => {
      if (ended.signal.aborted || "url" in heard && heard.version === version) return;
      setHeard(null);
      setRequested(false);
    });
    return () => ended.abort();
  }, [stamp, heard]);
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

/** Returns what changes with the content of a file; `null` if it cannot be asked. */
async function versionOf(
  path: string,
  stamp: number,
  signal: AbortSignal,
): Promise<string | null> {
  const options = { method: "HEAD", signal };
  const answer = await fetch(contentUrl(path, stamp), options).catch(() => null);
  return answer?.headers.get("etag") ?? null;
}

/** Loads and decodes a sound. */
async function decoded({ asset, stamp, seconds }: Shown, signal: AbortSignal): Promise<Decoded> {
  if (asset.size > MOST_BYTES) {
    throw new TypeError(`found ${asset.size} bytes, expected at most ${MOST_BYTES}`);
  }
  if (seconds === null || seconds > MOST_SECONDS) {
    const found = seconds === null ? "no length in its file" : `${Math.round(seconds)} s`;
    throw new TypeError(`found ${found}, expected at most ${MOST_SECONDS} s`);
  }
  const response = await fetch(contentUrl(asset.path, stamp), { signal });
  if (!response.ok) throw new TypeError(`found status ${response.status}`);
  const context = new OfflineAudioContext(1, 1, HERTZ);
  const sound = await context.decodeAudioData(await response.arrayBuffer());
  signal.throwIfAborted();
  const wav = await runCooperatively(wavOf(sound), { now: () => performance.now(), signal });
  const version = response.headers.get("etag");
  return { wav: new Blob([wav], { type: "audio/wav" }), version };
}
