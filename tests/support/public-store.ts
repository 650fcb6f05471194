import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { AwsClient } from "aws4fetch";
import type { RunningStore } from "../../scripts/gate/run-store.ts";

/** A store's bucket as the public sees it, with a count of all bytes sent. */
export interface PublicStore {
  readonly baseUrl: string;
  /** Requests so far. */
  readonly requests: string[];
  /** Bytes of bodies so far, as they were served. */
  readonly bytes: () => number;
  readonly close: () => Promise<void>;
}

/** Serves a bucket of an S3 store to everyone: reads it with its keys, and forwards the answers. */
export async function openPublicStore(
  store: RunningStore,
  bucketUrl: string,
): Promise<PublicStore> {
  const { hostname: bucket, pathname } = new URL(bucketUrl);
  const aws = new AwsClient({
    accessKeyId: store.env["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: store.env["AWS_SECRET_ACCESS_KEY"] ?? "",
    service: "s3",
    region: "us-east-1",
  });
  const requests: string[] = [];
  let bytes = 0;
  const server = createServer(async (asked, answer) => {
    const path = asked.url ?? "/";
    const { range } = asked.headers;
    const signed = await aws.sign(`${store.endpoint}/${bucket}${pathname}${path}`, {
      method: asked.method ?? "GET",
      headers: range === undefined ? {} : { range },
    });
    requests.push(path.slice(1));
    const { url, method, headers } = signed;
    request(url, { method, headers: Object.fromEntries(headers) }, (found) => {
      answer.writeHead(found.statusCode ?? 502, {
        ...found.headers,
        "access-control-allow-origin": "*",
      });
      found.on("data", (chunk: Uint8Array) => void (bytes += chunk.length));
      found.pipe(answer);
    }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    bytes: () => bytes,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
