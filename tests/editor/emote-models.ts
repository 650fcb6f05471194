import { packedModels } from "./packed-models.ts";

/** Animations of people that nobody here made: 63 or 65 nodes each, by six versions of one exporter. */
export function emoteModels(): ReturnType<typeof packedModels> {
  return packedModels({
    spec: "@dcl/wearable-preview@1.28.1",
    sha512:
      "cR8IVmGTpZI6tI1cRiSpza0EfQCh82PFF4ACe90Y3WEcEvUdCPT/ebmaTRb7M35ZbyH2B7AH95YMLqwFFmgYlw==",
    folder: "emotes",
    files: [
      "clap",
      "dab",
      "dance",
      "fashion",
      "fashion-2",
      "fashion-3",
      "fashion-4",
      "fist-pump",
      "head-explode",
      "idle",
      "jump",
      "love",
      "money",
      "run",
      "walk",
      "wave",
    ].map((name) => `${name}.glb`),
  });
}
