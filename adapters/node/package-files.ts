import { fileURLToPath } from "node:url";

const { url }: { readonly url?: string } = import.meta; // absent in a bundle that is CommonJS (HOUSE-5)

if (url === undefined || !/\/adapters\/node\/package-files\.[jt]s$/.test(url)) {
  const program = url ?? "a CommonJS program";
  throw new Error(
    `Cannot start: found slipway/node bundled into ${program}, expected it in its package, where ` +
      "its files are. Bundle with --external:slipway/node (esbuild)",
  );
}

/**
 * Absolute folder of the built package; `null` if the package was loaded from a registry's
 * addresses.
 */
export const PACKAGE_FILES: string | null = url.startsWith("file:")
  ? fileURLToPath(new URL("../../", url))
  : null;
