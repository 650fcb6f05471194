import type { Result } from "../../core/result.ts";
import type { DirectoryDescriptor, ToolDescriptor } from "../tools/descriptor.ts";
import type { Candidate } from "./candidates.ts";
import { hasMarker } from "./marker.ts";
import { validateDirectory } from "./validate.ts";
import { type Rejected, rejected, type ValidateContext } from "./validation.ts";

// A variable that names a folder next to the tool: JAVA_HOME=…/bin, ANDROID_HOME=…/platform-tools. Correcting
// it is one word; another copy of the tool would be hundreds of megabytes.

/** Maximum levels from the named path up to the tool's folder: `cmdline-tools/latest/bin/sdkmanager`. */
const ABOVE = 4;
/** Paths from the named folder down to the tool's folder. */
const BELOW = ["Contents/Home", "sdk", "Sdk", "jbr", "jbr/Contents/Home"];

/**
 * Refuses a folder or a file that a variable names, where the tool's own folder is next to it and works.
 *
 * @returns `null` for any other candidate.
 */
export async function missedBy(
  { path, variable, out }: Candidate,
  descriptor: ToolDescriptor,
  context: ValidateContext,
): Promise<Result<never, Rejected> | null> {
  if (variable === undefined || descriptor.kind !== "directory" || out?.kind === "policy") {
    return null;
  }
  const { folder: { paths } } = context;
  const named = path.replace(/[;:"'\s]+$/, "");
  if (!paths.isAbsolute(named) || (named === path && hasMarker(path, descriptor, context))) {
    return null;
  }
  const near = around(named, context).find((each) => hasMarker(each, descriptor, context));
  const meant = near === undefined ? null : await toolAt(near, descriptor, context);
  if (meant === null) return null;
  return rejected(`${variable} names it, and the folder to name is ${meant}`, {
    remedy: { kind: "variable", name: variable, path: meant },
  });
}

function around(
  named: string,
  { folder: { paths } }: Pick<ValidateContext, "folder">,
): readonly string[] {
  const above: string[] = [named];
  for (let folder = named; above.length <= ABOVE; above.push(folder)) folder = paths.parent(folder);
  return [...above, ...BELOW.map((path) => paths.join(named, path))];
}

/** Returns the folder of a tool that works; the Java home that the `/usr/bin/java` of a system starts. */
async function toolAt(
  folder: string,
  descriptor: DirectoryDescriptor,
  context: ValidateContext,
): Promise<string | null> {
  const checked = await validateDirectory({ path: folder }, descriptor, context);
  if (checked.ok) return checked.value.home ?? folder;
  // An SDK that lacks parts is the one that was meant, too.
  return checked.error.lacks === undefined ? null : folder;
}
