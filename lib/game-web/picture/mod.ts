export { projectionIn } from "./eye.ts";
export { createGround, type Ground } from "./ground.ts";
export { createPicture, type Picture } from "./picture.ts";
