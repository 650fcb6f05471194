import { packedModels } from "./packed-models.ts";

/**
 * Skinned and animated hands that nobody here made: 18 nodes, 7 animations each. Their package has a
 * dependency that no registry holds, so it cannot be installed; its tarball can be taken by itself.
 */
export function handModels(): ReturnType<typeof packedModels> {
  return packedModels({
    spec: "networked-aframe@0.14.3",
    sha512:
      "4na9qhT1sxkvpQKOI3r4gpSB1ryY1nk3N+jYTOPX/NnIdOa4amHpqrpBujl8iXf6miVlR79PHOB5xomGUuOLOw==",
    folder: "examples/assets",
    files: ["leftHandHigh.glb", "rightHandHigh.glb"],
  });
}
