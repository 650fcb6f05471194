import { TrieRouter } from "hono/router/trie-router";
import type { Route } from "./route.ts";

/** A route that a request fits, with the parts of its path that vary. */
export interface RouteMatch {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds routes by method and path. */
export interface RouteFinder {
  find(method: string, path: string): RouteMatch | null;
  /** Returns the methods of a path; empty if it is unknown. */
  methodsOf(path: string): readonly string[];
}

/** Builds the finder. `HEAD` finds the routes of `GET`. */
export function createRouteFinder(routes: readonly Route[]): RouteFinder {
  const router = new TrieRouter<Route>();
  for (const route of routes) router.add(route.method, route.path, route);
  const find = (method: string, path: string): RouteMatch | null => {
    const [found] = router.match(method === "HEAD" ? "GET" : method, path)[0];
    if (found === undefined) return null;
    const params = Object.entries(found[1]).map(([name, value]) => [name, decoded(String(value))]);
    return { route: found[0], params: Object.fromEntries(params) };
  };
  return {
    find,
    methodsOf: (path) => ["GET", "POST"].filter((method) => find(method, path) !== null),
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // invalid percent-encoding: matches nothing
  }
}
