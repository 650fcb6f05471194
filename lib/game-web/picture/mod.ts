export { createPicture, type Picture, type PictureOptions } from "./picture.ts";
