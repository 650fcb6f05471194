import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { mediaTypeOf } from "../../scripts/demo/media-types.ts";

// An app around WebKit's web view, with a scheme of its own whose requests it answers itself, as an
// app of Capacitor is on iOS: WebKitGTK by its C interface, which Deno can call. Its arguments are the
// folder of a game, the body of an asynchronous function to run in its page, a script that runs there
// before all others, and addresses of the page. For each address it prints one line: what the function
// returned, and which requests were not for the game.

const [folder = "", asked = "", before = "", ...bases] = process.argv.slice(2);
let base = "";

const P = "pointer";
const NAME = "buffer";
const { symbols: gtk } = Deno.dlopen("libgtk-3.so.0", {
  gtk_init_check: { parameters: [P, P], result: "i32" },
  gtk_window_new: { parameters: ["i32"], result: P },
  gtk_window_set_default_size: { parameters: [P, "i32", "i32"], result: "void" },
  gtk_container_add: { parameters: [P, P], result: "void" },
  gtk_widget_show_all: { parameters: [P], result: "void" },
});
const { symbols: glib } = Deno.dlopen("libgio-2.0.so.0", {
  g_main_context_iteration: { parameters: [P, "i32"], result: "i32" },
  g_bytes_new: { parameters: ["buffer", "usize"], result: P },
  g_memory_input_stream_new_from_bytes: { parameters: [P], result: P },
  g_signal_connect_data: {
    parameters: [P, NAME, "function", P, P, "i32"],
    result: "u64",
  },
});
const { symbols: webkit } = Deno.dlopen("libwebkit2gtk-4.1.so.0", {
  webkit_web_context_get_default: { parameters: [], result: P },
  webkit_web_context_register_uri_scheme: {
    parameters: [P, NAME, "function", P, P],
    result: "void",
  },
  webkit_web_view_new: { parameters: [], result: P },
  webkit_web_view_load_uri: { parameters: [P, NAME], result: "void" },
  webkit_web_view_get_settings: { parameters: [P], result: P },
  webkit_web_view_get_user_content_manager: { parameters: [P], result: P },
  webkit_user_content_manager_add_script: { parameters: [P, P], result: "void" },
  webkit_user_script_new: { parameters: [NAME, "i32", "i32", P, P], result: P },
  webkit_settings_set_enable_write_console_messages_to_stdout: {
    parameters: [P, "i32"],
    result: "void",
  },
  webkit_uri_request_get_uri: { parameters: [P], result: P },
  webkit_uri_scheme_request_get_uri: { parameters: [P], result: P },
  webkit_uri_scheme_request_finish_with_response: { parameters: [P, P], result: "void" },
  webkit_uri_scheme_response_new: { parameters: [P, "i64"], result: P },
  webkit_uri_scheme_response_set_status: { parameters: [P, "u32", P], result: "void" },
  webkit_uri_scheme_response_set_content_type: { parameters: [P, NAME], result: "void" },
  webkit_web_view_call_async_javascript_function: {
    parameters: [P, "buffer", "i64", P, P, P, P, "function", P],
    result: "void",
  },
  webkit_web_view_call_async_javascript_function_finish: { parameters: [P, P, P], result: P },
});
const { symbols: jsc } = Deno.dlopen("libjavascriptcoregtk-4.1.so.0", {
  jsc_value_to_string: { parameters: [P], result: P },
});
/** `WEBKIT_LOAD_FINISHED`. */
const FINISHED = 3;
/** `WEBKIT_USER_CONTENT_INJECT_ALL_FRAMES`. */
const ALL_FRAMES = 0;
/** `WEBKIT_USER_SCRIPT_INJECT_AT_DOCUMENT_START`. */
const AT_START = 0;

function cText(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`);
}

function textAt(pointer: Deno.PointerValue): string {
  return pointer === null ? "" : Deno.UnsafePointerView.getCString(pointer);
}

function fileAt(url: string): string | null {
  const [address = ""] = url.split("?");
  if (!address.startsWith(base)) return null;
  const path = join(folder, decodeURIComponent(address.slice(base.length)) || "index.html");
  return existsSync(path) ? path : null;
}

let outside: string[] = [];
let answer: string | undefined;

const onRequest = new Deno.UnsafeCallback({ parameters: [P, P], result: "void" }, (request) => {
  const url = textAt(webkit.webkit_uri_scheme_request_get_uri(request));
  const path = fileAt(url);
  if (path === null) outside.push(url);
  const bytes = path === null ? new Uint8Array() : new Uint8Array(readFileSync(path));
  const size = BigInt(bytes.length);
  const stream = glib.g_memory_input_stream_new_from_bytes(glib.g_bytes_new(bytes, size));
  const response = webkit.webkit_uri_scheme_response_new(stream, size);
  webkit.webkit_uri_scheme_response_set_status(response, path === null ? 404 : 200, null);
  const type = cText(mediaTypeOf(path ?? ""));
  webkit.webkit_uri_scheme_response_set_content_type(response, type);
  webkit.webkit_uri_scheme_request_finish_with_response(request, response);
});
const onResource = new Deno.UnsafeCallback(
  { parameters: [P, P, P, P], result: "void" },
  (_view, _resource, request) => {
    const url = textAt(webkit.webkit_uri_request_get_uri(request));
    if (!url.startsWith(base) && !/^(?:blob|data):/.test(url)) outside.push(url);
  },
);
const onAnswer = new Deno.UnsafeCallback(
  { parameters: [P, P, P], result: "void" },
  (view, result) => {
    const value = webkit.webkit_web_view_call_async_javascript_function_finish(view, result, null);
    answer = value === null ? "" : textAt(jsc.jsc_value_to_string(value));
  },
);
const onLoad = new Deno.UnsafeCallback(
  { parameters: [P, "i32", P], result: "void" },
  (view, event) => {
    if (event !== FINISHED) return;
    const body = cText(asked);
    const { pointer } = onAnswer;
    webkit.webkit_web_view_call_async_javascript_function(
      view,
      body,
      -1n,
      null,
      null,
      null,
      null,
      pointer,
      null,
    );
  },
);

if (gtk.gtk_init_check(null, null) === 0) throw new Error("There is no display");
const scheme = cText(new URL(bases[0] ?? "").protocol.slice(0, -1));
const context = webkit.webkit_web_context_get_default();
webkit.webkit_web_context_register_uri_scheme(context, scheme, onRequest.pointer, null, null);
const view = webkit.webkit_web_view_new();
const settings = webkit.webkit_web_view_get_settings(view);
webkit.webkit_settings_set_enable_write_console_messages_to_stdout(settings, 1);
const manager = webkit.webkit_web_view_get_user_content_manager(view);
const script = webkit.webkit_user_script_new(cText(before), ALL_FRAMES, AT_START, null, null);
webkit.webkit_user_content_manager_add_script(manager, script);
glib.g_signal_connect_data(view, cText("load-changed"), onLoad.pointer, null, null, 0);
glib.g_signal_connect_data(
  view,
  cText("resource-load-started"),
  onResource.pointer,
  null,
  null,
  0,
);
const window = gtk.gtk_window_new(0);
gtk.gtk_window_set_default_size(window, 640, 360);
gtk.gtk_container_add(window, view);
gtk.gtk_widget_show_all(window);
for (base of bases) {
  [answer, outside] = [undefined, []];
  webkit.webkit_web_view_load_uri(view, cText(`${base}?paused`));
  while (answer === undefined) glib.g_main_context_iteration(null, 1);
  console.log(JSON.stringify({ answer, outside }));
}
process.exit(0);
