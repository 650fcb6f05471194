import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";

// Serves one file on a port of its own, in a process of its own; prints its address.

const [path = ""] = process.argv.slice(2);
const server = createServer((_, response) => {
  response.writeHead(200, { "content-length": statSync(path).size, etag: '"bench"' });
  createReadStream(path, { highWaterMark: 256 * 1024 }).pipe(response);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) {
    console.log(`http://127.0.0.1:${address.port}/file`);
  }
});
process.once("SIGTERM", () => process.exit(0));
