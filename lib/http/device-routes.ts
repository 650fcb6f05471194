import type { Services } from "../agent/mod.ts";
import { refuse } from "../core/problem.ts";
import { err, ok } from "../core/result.ts";
import { BRIDGE_PATH } from "../device-bridge/mod.ts";
import type { Route } from "./route.ts";

/**
 * Creates the route on which apps connect. Their pages have other origins than this service and no
 * token. The route therefore leads to the bridge alone, which checks their origins and allows
 * nothing before app and editor have authenticated each other (decision 94).
 */
export function deviceRoutes({ devices }: Services): readonly Route[] {
  if (devices === undefined) return [];
  const { bridge } = devices;
  return [{
    method: "GET",
    path: BRIDGE_PATH,
    doc: "a WebSocket for apps that are built with devices.bridge",
    changesState: false,
    access: "app",
    query: [],
    async handle({ request, upgrade, address = "" }) {
      const origin = request.headers.get("origin");
      const closed = await bridge.closedTo(origin);
      if (closed !== null) return err(closed);
      if (upgrade === undefined) {
        const detail = "Found a request for a document, expected one for a WebSocket";
        const hint = "Apps connect here themselves: device_list documents pairing";
        return refuse(400, "not-a-web-socket", detail, hint);
      }
      // No await from here on: many may connect at once, and each counts for the next.
      const caller = { address, origin };
      const refusal = bridge.refusal(caller);
      if (refusal !== null) return err(refusal);
      const { response, socket } = upgrade(bridge.bounds);
      void bridge.accept(socket, caller);
      return ok(response);
    },
  }];
}
