export { listen, type Listening } from "./listen.ts";
