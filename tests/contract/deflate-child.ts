import { adapter } from "./adapter.ts";

// Deflates more than is done without a thread, leaves a stream open, and ends; prints what came out.
const { deflate, deflateStream } = adapter.createDeflating();
const megabyte = new Uint8Array(1 << 20);
const sizes: number[] = [];
for (const _ of [1, 2, 3, 4]) sizes.push((await deflate(megabyte, "raw")).length);
const writer = (await deflateStream()).writable.getWriter();
writer.write(megabyte.slice()).catch(() => undefined); // nobody reads it
console.log(new Set(sizes).size);
