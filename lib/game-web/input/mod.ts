export { type InputListening, listen } from "./listen.ts";
