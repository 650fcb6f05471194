export {
  type ContentBody,
  type ContentFile,
  createContent,
  type ProjectContent,
  typeOf,
} from "./content.ts";
