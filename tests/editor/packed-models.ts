import { join } from "node:path";
import { npmPackage, WrongTarball } from "../../scripts/gate/npm-package.ts";

/** Models in the tarball of a package of npm, which is fetched once and not installed. */
export interface PackedModels {
  /** `name@1.2.3`. */
  readonly spec: string;
  /** Of the tarball, in base64. */
  readonly sha512: string;
  /** Where the models lie in it. */
  readonly folder: string;
  readonly files: readonly string[];
}

/** The models' paths, or why there are none. To be awaited when tests are registered. */
export async function packedModels(
  { spec, sha512, folder, files }: PackedModels,
): Promise<{ readonly paths: readonly string[]; readonly skip: false | string }> {
  const inside = files.map((file) => `${folder}/${file}`);
  try {
    const place = await npmPackage({ spec, sha512, files: inside });
    return { paths: inside.map((file) => join(place, file)), skip: false };
  } catch (thrown) {
    if (thrown instanceof WrongTarball) throw thrown;
    return { paths: [], skip: `${spec} cannot be fetched` };
  }
}
