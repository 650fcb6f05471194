export { createPicture, type Picture } from "./picture.ts";
