import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { modelRefusal } from "../../lib/game-web/picture/model-bounds.ts";

// What a model's file says of itself, before anything of it is decoded.

/** The head of a PNG that says it has so many pixels. */
function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(33);
  head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head;
}

/** The same of a JPEG. */
function jpeg(width: number, height: number): Buffer {
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  head.writeUInt16BE(height, 7);
  head.writeUInt16BE(width, 9);
  return head;
}

const BMP = Buffer.concat([Buffer.from("BM"), Buffer.alloc(60)]);
const uri = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;

/** A model whose pictures lie in its binary part, behind 5 other bytes. */
function within(...pictures: readonly Buffer[]) {
  let at = 5;
  const bufferViews = pictures.map(({ length }) => {
    const view = { buffer: 0, byteOffset: at, byteLength: length };
    at += length;
    return view;
  });
  const bytes = Uint8Array.from(Buffer.concat([Buffer.alloc(5), ...pictures]));
  return {
    json: {
      images: pictures.map((_, n) => ({ bufferView: n, mimeType: "image/png" })),
      buffers: [{ byteLength: at }],
      bufferViews,
    },
    body: bytes.buffer,
  };
}

const inBuffer = (picture: Buffer) => {
  const { json, body } = within(picture);
  return { ...json, buffers: [{ uri: uri(Buffer.from(body)) }] };
};
const mesh = (primitives: number) => ({
  primitives: Array.from({ length: primitives }, () => ({})),
});

for (
  const [title, model, wanted] of [
    ["pictures in the file", within(png(8, 8), jpeg(8192, 8192)), null],
    ["a large PNG", within(png(8, 8), png(8193, 8192)), /found a picture of 67117056 pixels/],
    ["a large JPEG", within(jpeg(12_000, 12_000)), /found a picture of 144000000 pixels/],
    ["a picture of another kind", within(png(8, 8), BMP), /images\[1\] is not a PNG, JPEG/],
    [
      "a large PNG in an address",
      { json: { images: [{ uri: uri(png(9000, 9000)) }] } },
      /81000000/,
    ],
    [
      "a picture of another kind there",
      { json: { images: [{ uri: uri(BMP) }] } },
      /images\[0\] is/,
    ],
    ["text there", { json: { images: [{ uri: "data:image/svg+xml,<svg/>" }] } }, /images\[0\] is/],
    ["a small one there", { json: { images: [{ uri: uri(png(9, 9)) }] } }, null],
    ["one in a buffer of text", { json: inBuffer(png(9000, 9000)) }, /81000000 pixels/],
    ["a small one in such a buffer", { json: inBuffer(png(90, 90)) }, null],
    ["a picture beside", { json: { images: [{ uri: "wood.png" }] } }, null],
    ["four of the largest", within(...Array(4).fill(png(8192, 8192))), null],
    ["one more", within(...Array(4).fill(png(8192, 8192)), png(1, 1)), /268435457 pixels together/],
    ["100,000 primitives", { json: { meshes: [mesh(40_000), mesh(60_000)] } }, null],
    [
      "one more of them",
      { json: { meshes: [mesh(40_000), mesh(60_001)] } },
      /found 100001 primitives/,
    ],
    ["100,001 nodes", { json: { nodes: Array(100_001).fill({}) } }, /found 100001 nodes/],
  ] as const
) {
  test(`modelRefusal() of ${title}`, () => {
    const known = "body" in model ? { KHR_binary_glTF: { body: model.body } } : {};
    const refusal = modelRefusal(model.json, known);
    if (wanted === null) assert.equal(refusal, null);
    else assert.match(refusal ?? "", wanted);
  });
}
