// Panels that are not seen when the page opens, in one script: one for each would divide what they
// share with the page among many small files, each with a request.

export { Activity } from "./activity.tsx";
export { AssetInspector } from "./asset-inspector.tsx";
export { Diagnose } from "./diagnose.tsx";
export { Journal } from "./journal.tsx";
export { Timeline } from "./timeline.tsx";
export { Watch } from "./watch.tsx";
