import { bannerOf, type Services } from "../agent/mod.ts";
import type { Route } from "./route.ts";

/** Returns the text of `GET /`: the answering editor, and its routes. */
export function indexText({ editor, instance }: Services, routes: readonly Route[]): string {
  const width = Math.max(...routes.map(({ path }) => path.length));
  return [
    bannerOf(editor.identity(), instance?.()),
    "",
    ...routes.map(({ method, path, doc }) =>
      `${(method === "ALL" ? "POST" : method).padEnd(5)} ${path.padEnd(width)}  ${doc}`
    ),
    "",
    "All of it, with parameters: GET /api/openapi.json",
    "",
  ].join("\n");
}
