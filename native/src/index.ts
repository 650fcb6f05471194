import { registerPlugin } from "@capacitor/core";
import type { NativeUpdater } from "./definitions.js";

export type * from "./definitions.js";

/** The updates of this app, as the native side does them. */
export const SlipwayOta: NativeUpdater = registerPlugin<NativeUpdater>("SlipwayOta", {
  web: () => import("./web.js").then((web) => new web.SlipwayOtaWeb()),
});
