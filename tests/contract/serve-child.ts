import { adapter } from "./adapter.ts";

// Serves until it is killed; says on standard output at which port.
const served = await adapter.serve(() => new Response("served"), {
  hostname: "127.0.0.1",
  port: 0,
});
console.log(served.ok ? served.value.port : served.error.message);
