import { viewOf } from "../../core/bytes.ts";
import type { Files } from "../../ports/files.ts";
import { readWav } from "./wav.ts";

// Reads the length of a sound from the headers of its file, without decoding.

/** A length beyond this, in seconds, is taken for damage. */
const MAX_SOUND_SECONDS = 36_000;

const HEAD = 64 * 1024;
/** Twice the longest page of Ogg: the last page is in it completely. */
const TAIL = 2 * 65_307;

/**
 * Returns the seconds of a WAV, Ogg (Vorbis, Opus), M4A or MP3 file; `null` for other files and
 * unknown lengths.
 */
export async function soundLength(files: Files, location: string): Promise<number | null> {
  const size = (await files.stat(location))?.size ?? 0;
  const head = await files.readRange(location, 0, HEAD);
  if (head === null) return null;
  const seconds = readWav(head, size)?.seconds ??
    await oggSeconds(
      head,
      async () => await files.readRange(location, Math.max(0, size - TAIL), TAIL),
    ) ??
    await (isAt(head, 4, "ftyp") ? mp4Seconds : mp3Seconds)(
      head,
      size,
      (offset) => files.readRange(location, offset, HEAD),
    );
  return seconds !== null && seconds > 0 && seconds <= MAX_SOUND_SECONDS ? seconds : null;
}

/**
 * Ogg (RFC 3533) consists of pages: "OggS", 4 version, 5 flags, 6 position (8 bytes), 14 stream
 * (4), 26 number of segments, 27 their sizes, content; little-endian. A page's position counts the
 * samples up to its end, or is -1 if no packet ends in it. The first page gives the format; the
 * last page of its stream gives the length.
 */
async function oggSeconds(
  head: Uint8Array,
  readTail: () => Promise<Uint8Array | null>,
): Promise<number | null> {
  const view = viewOf(head);
  if (head.length < 28 || !isAt(head, 0, "OggS")) return null;
  const stream = view.getUint32(14, true);
  const at = 27 + (head[26] ?? 0);
  const form = at + 19 > head.length ? null : oggForm(head, at);
  const tail = form === null ? null : await readTail();
  if (form === null || tail === null) return null;
  const pages = viewOf(tail);
  for (let page = tail.length - 27; page >= 0; page--) {
    if (!isAt(tail, page, "OggS") || tail[page + 4] !== 0) continue;
    if (pages.getUint32(page + 14, true) !== stream) continue;
    const [low, high] = [pages.getUint32(page + 6, true), pages.getUint32(page + 10, true)];
    if (low === 0xffffffff && high === 0xffffffff) continue;
    return Math.max(0, high * 2 ** 32 + low - form.skipped) / form.hertz;
  }
  return null;
}

/** Vorbis: 0x01 "vorbis", 7 version, 11 channels, 12 hertz. Opus (RFC 7845): 10 samples to skip; 48 kHz. */
function oggForm(head: Uint8Array, at: number) {
  const view = viewOf(head);
  if (isAt(head, at, "OpusHead")) return { hertz: 48_000, skipped: view.getUint16(at + 10, true) };
  if (!isAt(head, at, "\x01vorbis")) return null;
  const hertz = view.getUint32(at + 12, true);
  return hertz === 0 ? null : { hertz, skipped: 0 };
}

/** Boxes of a file that are looked at for the one with its length. */
const MAX_BOXES = 64;

/**
 * MPEG-4 (ISO/IEC 14496-12): boxes of 4 size, 4 name, content; big-endian. After a size of 1, the next
 * 8 bytes give it; a size of 0 means the rest of the file.
 */
async function mp4Seconds(
  _head: Uint8Array,
  size: number,
  readAt: (offset: number) => Promise<Uint8Array | null>,
): Promise<number | null> {
  let at = 0;
  for (let boxes = 0; boxes < MAX_BOXES && at < size; boxes++) {
    const bytes = await readAt(at);
    const box = bytes === null ? null : boxAt(bytes, 0, size - at);
    if (bytes === null || box === null) return null;
    if (box.name === "moov") return movieSeconds(bytes.subarray(box.start, box.end));
    at += box.end;
  }
  return null;
}

/** Header of a movie: 0 version; of version 0: 12 units per second, 16 length; of 1: 20, 24 (8 bytes). */
function movieSeconds(moov: Uint8Array): number | null {
  const view = viewOf(moov);
  for (let at = 0; at < moov.length;) {
    const box = boxAt(moov, at, moov.length - at);
    if (box === null) return null;
    const { name, start, end } = box;
    at = end;
    if (name !== "mvhd" || start + 32 > moov.length) continue;
    const isLong = moov[start] === 1;
    const units = view.getUint32(start + (isLong ? 20 : 12));
    const length = isLong ? Number(view.getBigUint64(start + 24)) : view.getUint32(start + 16);
    return units === 0 ? null : length / units;
  }
  return null;
}

function boxAt(bytes: Uint8Array, at: number, rest: number) {
  const view = viewOf(bytes);
  if (at + 16 > bytes.length) return null;
  const [short, name] = [
    view.getUint32(at),
    String.fromCharCode(...bytes.subarray(at + 4, at + 8)),
  ];
  const header = short === 1 ? 16 : 8;
  const size = short === 1 ? Number(view.getBigUint64(at + 8)) : short === 0 ? rest : short;
  return size < header ? null : { name, start: at + header, end: at + size };
}

const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const HERTZ = [44_100, 48_000, 32_000];

/** A frame of MPEG layer III. */
interface Mp3Frame {
  readonly hertz: number;
  /** Samples. */
  readonly samples: number;
  /** Bits a second. */
  readonly bitrate: number;
  /** Bytes, with its header. */
  readonly size: number;
  /** Bytes between its header and the optional header of the encoder. */
  readonly side: number;
}

/**
 * MP3: an ID3v2 tag may come first ("ID3", 6 its size in 4 × 7 bits), then frames. The first one may
 * hold how many follow ("Xing", "Info" or "VBRI"); else all are as long as the first.
 */
async function mp3Seconds(
  head: Uint8Array,
  size: number,
  readAt: (offset: number) => Promise<Uint8Array | null>,
): Promise<number | null> {
  const tag = isAt(head, 0, "ID3") && head.length >= 10 ? 10 + sevenBits(head, 6) : 0;
  const start = tag === 0 ? head : await readAt(tag);
  if (start === null) return null;
  for (let at = 0; at + 4 <= start.length; at++) {
    const frame = frameAt(start, at);
    // Two in a row: eleven bits alone are met anywhere.
    const isLast = at + (frame?.size ?? 0) + 4 > start.length;
    if (frame === null || (!isLast && frameAt(start, at + frame.size) === null)) continue;
    const counted = countedSamples(start, at, frame);
    if (counted !== null) return counted / frame.hertz;
    return (size - tag - at) * 8 / frame.bitrate;
  }
  return null;
}

function frameAt(bytes: Uint8Array, at: number): Mp3Frame | null {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  const version = (b >> 3) & 3; // 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5
  const isLayer3 = a === 0xff && (b & 0xe0) === 0xe0 && ((b >> 1) & 3) === 1 && version !== 1;
  const isFirst = version === 3;
  const kilobits = (isFirst ? BITRATES_1 : BITRATES_2)[c >> 4] ?? 0;
  const hertz = (HERTZ[(c >> 2) & 3] ?? 0) / (isFirst ? 1 : version === 2 ? 2 : 4);
  if (!isLayer3 || kilobits === 0 || hertz === 0) return null;
  const samples = isFirst ? 1152 : 576;
  const bitrate = kilobits * 1000;
  const size = Math.floor(samples / 8 * bitrate / hertz) + ((c >> 1) & 1);
  const isMono = d >> 6 === 3;
  const side = isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  return { hertz, samples, bitrate, size, side };
}

/** Returns the number of samples in the encoder's header; `null` without one. */
function countedSamples(bytes: Uint8Array, at: number, frame: Mp3Frame): number | null {
  const view = viewOf(bytes);
  const xing = at + 4 + frame.side;
  const vbri = at + 36;
  if (vbri + 18 <= bytes.length && isAt(bytes, vbri, "VBRI")) {
    return view.getUint32(vbri + 14) * frame.samples;
  }
  const isXing = isAt(bytes, xing, "Xing") || isAt(bytes, xing, "Info");
  if (!isXing || xing + 12 > bytes.length) return null;
  const flags = view.getUint32(xing + 4);
  if ((flags & 1) === 0) return null;
  const samples = view.getUint32(xing + 8) * frame.samples;
  // LAME's part follows when all four members are there: 12 bits of delay, 12 of padding.
  const lame = xing + 120;
  const isLame = (flags & 15) === 15 && lame + 24 <= bytes.length &&
    (isAt(bytes, lame, "LAME") || isAt(bytes, lame, "Lav"));
  if (!isLame) return samples;
  const [a = 0, b = 0, c = 0] = bytes.subarray(lame + 21, lame + 24);
  return Math.max(0, samples - ((a << 4) | (b >> 4)) - (((b & 15) << 8) | c));
}

function sevenBits(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4).map((byte) => byte & 127);
  return (a << 21) | (b << 14) | (c << 7) | d;
}

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
