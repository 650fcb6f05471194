export { LayoutMemory } from "./layout-memory.ts";
export { activeCamera, layoutWork, screenLayoutWork } from "./layout.ts";
export { fromViewport, layoutView, toViewport, type View2D } from "./layout2d.ts";
export { layoutUi } from "./layout-ui.ts";
export { spriteSize, textSize } from "./measured.ts";
export { Ancestry, listOverlaps } from "./overlaps.ts";
export { projectBounds, type Projection, projectionOf } from "./project3d.ts";
