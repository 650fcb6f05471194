export {
  type ContentBody,
  type ContentFile,
  createContent,
  type ProjectContent,
} from "./content.ts";
