export { projectionIn } from "./eye.ts";
export { createPicture, type Picture } from "./picture.ts";
