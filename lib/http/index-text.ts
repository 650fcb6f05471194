import { bannerOf, type Services } from "../agent/mod.ts";
import type { Route } from "./route.ts";

/** The text of `GET /`: who answers here, and what can be asked. */
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
