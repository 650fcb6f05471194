import { encodeUtf8, readAtMost } from "../../lib/core/bytes.ts";
import { isRecord } from "../../lib/core/json.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import { err, type Failure, ok, type Result } from "../../lib/core/result.ts";
import { createKey } from "../../lib/ota-publish/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import type { loadServe } from "../shared/runtime.ts";
import { createStaticHandler } from "../../lib/project/served/mod.ts";
import { mediaTypeOf } from "./media-types.ts";
import { isOfOwnPage } from "./own-page.ts";
import { type Phone, startPhone } from "./phone.ts";
import { SHOW_SCRIPT, showHtml } from "./show-page.ts";
import { SHOW_CSS } from "./show-style.ts";
import { BUNDLE, Story, type StoryView } from "./story.ts";
import { makeGame } from "./versions.ts";

/** Maximum bytes of the page's requests. */
const MAX_ASKED_BYTES = 1024;
const LOCAL = { hostname: "127.0.0.1", port: 0 };

/** The demo, in a page. */
export interface Show {
  readonly url: string;
  readonly story: Story;
  readonly phone: Phone;
}

/** Parts of the show. */
export interface ShowOptions {
  readonly runtime: Runtime;
  readonly serve: Awaited<ReturnType<typeof loadServe>>;
  /** Folder for all files. */
  readonly folder: string;
  /** Registers a function that closes a server at the end. */
  readonly atEnd: (close: () => Promise<void>) => void;
  /** Called whenever the story has changed. */
  readonly onChange: (view: StoryView) => void;
}

/**
 * Publishes the first version, installs its app on a phone, and serves the page that continues the
 * story.
 */
export async function startShow(
  { runtime, serve, folder, atEnd, onChange }: ShowOptions,
): Promise<Result<Show, Failure>> {
  const key = await createKey(runtime, `${folder}/keys/demo.json`);
  if (!key.ok) return key;
  const bucket = await serve(createStaticHandler(runtime.files, `${folder}/bucket`), LOCAL);
  if (!bucket.ok) return bucket;
  atEnd(() => bucket.value.close());
  const baseUrl = bucket.value.url;
  const project = `${folder}/game`;
  const { publicKey } = key.value;
  await makeGame(runtime, { project, baseUrl, publicKey, bundleName: BUNDLE });
  const phone = await startPhone({
    runtime,
    serve,
    name: BUNDLE,
    root: `${folder}/phone`,
    embedded: `${folder}/app-binary`,
  });
  if (!phone.ok) return phone;
  atEnd(() => phone.value.close());

  const readers = new Set<(view: StoryView) => void>();
  const story = new Story({
    runtime,
    folder,
    baseUrl,
    key: key.value,
    phone: phone.value,
    onChange(view) {
      onChange(view);
      for (const read of readers) read(view);
    },
  });
  await story.next(0);
  const { failure } = story.view;
  if (failure !== null) return err(failure);

  const page = await serve((request) => {
    const { pathname } = new URL(request.url);
    if (request.method === "POST") {
      return isOfOwnPage(request) && pathname === "/next"
        ? goOn(request, story)
        : new Response(null, { status: 403 });
    }
    switch (pathname) {
      case "/":
        return fileOf("index.html", showHtml(phone.value.url));
      case "/show.js":
        return fileOf("show.js", SHOW_SCRIPT);
      case "/show.css":
        return fileOf("show.css", SHOW_CSS);
      case "/story":
        return followStory(story, readers);
      default:
        return new Response(null, { status: 404 });
    }
  }, LOCAL);
  if (!page.ok) return page;
  atEnd(() => page.value.close());
  return ok({ url: `${page.value.url}/`, story, phone: phone.value });
}

function fileOf(name: string, text: string): Response {
  return new Response(text, {
    headers: { "content-type": mediaTypeOf(name), "cache-control": "no-store" },
  });
}

/** Answers immediately: the story reports the result. */
async function goOn({ body }: Request, story: Story): Promise<Response> {
  const bytes = body === null ? null : await readAtMost(body, MAX_ASKED_BYTES);
  const asked = parseJson(bytes);
  const at = isRecord(asked) ? asked["at"] : undefined;
  if (typeof at !== "number") return new Response(null, { status: 400 });
  void story.next(at);
  return new Response(null, { status: 202 });
}

/** The story as server-sent events: as it is, then each change. */
function followStory(story: Story, readers: Set<(view: StoryView) => void>): Response {
  let read: (view: StoryView) => void = () => undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      read = (view) => controller.enqueue(encodeUtf8(`data: ${JSON.stringify(view)}\n\n`));
      read(story.view);
      readers.add(read);
    },
    cancel: () => void readers.delete(read),
  });
  return new Response(stream, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  });
}
