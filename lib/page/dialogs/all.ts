// All dialogs, in one script.

export { BuildSupport } from "./build-support.tsx";
export { DevicesDialog } from "./devices.tsx";
export { Keys } from "./keys.tsx";
export { Publish } from "./publish.tsx";
export { Settings } from "./settings.tsx";
