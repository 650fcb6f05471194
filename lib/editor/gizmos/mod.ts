export { dragOf, gizmoHandles, type GizmoScene, type HandleDrag } from "./axis-gizmo.ts";
export { type HandleScene, rectDrag, rectHandles } from "./rect-gizmo.ts";
