import {
  isOnNoexec,
  type LookupOptions,
  NOEXEC,
  pathFolders,
  programAt,
  programsIn,
  searchPath,
} from "../../programs/mod.ts";
import type { BinaryDescriptor, DirectoryDescriptor, ToolDescriptor } from "../tools/descriptor.ts";
import type { ToolSource } from "../tools/types.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import { hasMarker } from "./marker.ts";
import { describePlaces, expandPlaces, hostVariable, ownFolder, realPath } from "./places.ts";
import { isBundled, type PolicyFacts, refusesSystem } from "./policy.ts";

/** A place where a tool may be. */
export interface Candidate {
  readonly path: string;
  readonly source: ToolSource;
  /** The variable that names it. */
  readonly variable?: string;
  /** Whether it is a program that starts a directory tool from another folder. */
  readonly isProgram?: boolean;
  /** The reason why it is refused before it is examined. */
  readonly out?: { readonly kind: "nothing" | "broken" | "policy"; readonly reason: string };
}

/** Dependencies of the search for candidates. */
export interface CandidateContext
  extends Pick<ToolchainDeps, "files" | "host" | "pins" | "syncStat"> {
  readonly folder: ToolchainFolder;
  readonly facts: PolicyFacts;
}

/** The reason for candidates that bundled-only mode excludes. */
const REFUSED = "refused: only the editor's own tools are allowed, and this one is the system's";

/**
 * Every place of a tool, in the order in which it is tried (FIND-3). A place of
 * the system that the toggle refuses is named but never opened, let alone run.
 */
export async function* candidatesOf(
  descriptor: ToolDescriptor,
  context: CandidateContext,
): AsyncGenerator<Candidate> {
  const refused = refusesSystem(descriptor, context.facts, context);
  const all = descriptor.kind === "binary"
    ? binaryCandidates(descriptor, context)
    : directoryCandidates(descriptor, context);
  const seen = new Set<string>();
  for await (const candidate of all) {
    if (candidate.out === undefined) {
      const real = await realPath(candidate.path, context);
      if (seen.has(real)) continue; // the same file under a second name
      seen.add(real);
    }
    const system = isSystem(candidate, descriptor);
    yield system && refused && candidate.out?.kind !== "nothing"
      ? { ...candidate, out: { kind: "policy", reason: REFUSED } }
      : candidate;
  }
}

function isSystem(candidate: Candidate, descriptor: ToolDescriptor): boolean {
  switch (candidate.source) {
    case "path":
    case "well-known":
      return true;
    case "env":
      return descriptor.env.some(({ scope }) => scope === "system");
    case "own":
    case "bundled":
    case "override":
      return false;
  }
}

async function* binaryCandidates(
  descriptor: BinaryDescriptor,
  context: CandidateContext,
): AsyncGenerator<Candidate> {
  const lookup = lookupOf(context);
  const names = descriptor.names.join(" or ");
  yield* envCandidates(descriptor, context, (path) => programAt(path, lookup));

  const own = await expandPlaces(descriptor.own, context.folder.root, context);
  yield* orNothing(
    own.flatMap((folder) => descriptor.names.flatMap((name) => programsIn(folder, name, lookup))),
    "own",
    {
      path: ownFolder(descriptor.own, context.folder),
      ...await notExecutable(own, descriptor.names, context) ??
        { reason: `no ${names} is installed there` },
    },
  );

  const folders = pathFolders(lookup);
  yield* orNothing(descriptor.names.flatMap((name) => searchPath(name, lookup)), "path", {
    path: "PATH",
    reason: `no ${names} in its ${folders.length === 1 ? "folder" : `${folders.length} folders`}`,
  });

  const wellKnown = await expandPlaces(descriptor.wellKnown, context.folder.root, context);
  for (const folder of wellKnown) {
    for (const name of descriptor.names) {
      for (const path of programsIn(folder, name, lookup)) yield { path, source: "well-known" };
    }
  }
}

async function* directoryCandidates(
  descriptor: DirectoryDescriptor,
  context: CandidateContext,
): AsyncGenerator<Candidate> {
  const { folder: { root, paths }, host } = context;
  const isFolder = (path: string) => context.syncStat(path).kind === "directory";
  // Patterns also match folders around a Java home, which would only be noise in the log.
  const hasJava = (path: string) =>
    hasMarker(path, descriptor, context) ||
    context.syncStat(paths.join(path, descriptor.marker.path)).kind !== "missing";

  // Patterns such as `jdk/*/*` also give folders inside a Java home; only one with the marker counts.
  const places = await expandPlaces(descriptor.own, root, context);
  const own = places.filter((folder) => hasMarker(folder, descriptor, context));
  yield* orNothing(own, "own", {
    path: ownFolder(descriptor.own, context.folder),
    ...await notExecutable(places, [descriptor.marker.path], context) ??
      { reason: `no folder with ${descriptor.marker.path} is there` },
  });

  yield* envCandidates(descriptor, context, (path) => isFolder(path) ? path : null);

  const wellKnown = (await expandPlaces(descriptor.wellKnown, root, context))
    .filter((path) => isFolder(path) && (descriptor.validate !== "java" || hasJava(path)));
  yield* orNothing(wellKnown, "well-known", {
    path: describePlaces(descriptor.wellKnown, host.platform),
    reason: "none of these folders is there",
  });

  const hints = searchPath(descriptor.pathHint, lookupOf(context));
  for (const hint of hints) {
    const { stub } = descriptor;
    if (stub?.platform === host.platform && stub.path === hint) {
      yield { path: hint, source: "path", out: { kind: "broken", reason: stub.reason } };
      continue;
    }
    const home = paths.parent(paths.parent(await realPath(hint, context)));
    yield descriptor.validate === "java" && !hasMarker(home, descriptor, context)
      ? { path: hint, source: "path", isProgram: true }
      : { path: home, source: "path" };
  }
  if (hints.length === 0) {
    const reason = `no ${descriptor.pathHint} on it`;
    yield { path: "PATH", source: "path", out: { kind: "nothing", reason } };
  }
}

/** A program that is there and may not be executed: "no program" would mislead. */
async function notExecutable(
  folders: readonly string[],
  programs: readonly string[],
  context: CandidateContext,
): Promise<Omit<Nothing, "path"> | null> {
  const path = folders
    .flatMap((folder) => programs.map((name) => context.folder.paths.join(folder, name)))
    .find((each) => context.syncStat(each).kind === "file");
  if (path === undefined) return null;
  return await isOnNoexec(path, context)
    ? { kind: "broken", reason: `it does not start: ${NOEXEC}` }
    : { reason: `${path} may not be executed` };
}

function* envCandidates(
  descriptor: ToolDescriptor,
  context: CandidateContext,
  locate: (path: string) => string | null,
): Generator<Candidate> {
  const source = isBundled(descriptor, context) && context.facts.packaged ? "bundled" : "env";
  for (const { name } of descriptor.env) {
    const value = hostVariable(name, context);
    if (value === null) continue;
    const found = context.folder.paths.isAbsolute(value) ? locate(value) : null;
    if (found !== null) yield { path: found, source, variable: name };
    else {
      yield {
        path: value,
        source,
        variable: name,
        out: { kind: "broken", reason: whyNot(name, value, descriptor, context) },
      };
    }
  }
}

function whyNot(
  name: string,
  value: string,
  { kind }: ToolDescriptor,
  { folder: { paths }, syncStat }: CandidateContext,
): string {
  if (!paths.isAbsolute(value)) return `${name} names it: expected an absolute path`;
  const expected = kind === "binary" ? "program" : "folder";
  const found = syncStat(value).kind;
  if (found === "missing") return `${name} names it: nothing is there`;
  if (found === "directory") return `${name} names it: found a folder, expected a ${expected}`;
  return kind === "binary"
    ? `${name} names it: this user may not execute it`
    : `${name} names it: found a file, expected a folder`;
}

/** Report of places without a candidate. */
interface Nothing {
  readonly path: string;
  readonly reason: string;
  /** `broken` where something is there that nothing of ours would set right. */
  readonly kind?: "broken";
}

function* orNothing(
  paths: readonly string[],
  source: ToolSource,
  { path, reason, kind }: Nothing,
): Generator<Candidate> {
  for (const each of paths) yield { path: each, source };
  if (paths.length > 0 || path === "") return;
  yield { path, source, out: { kind: kind ?? "nothing", reason } };
}

function lookupOf({ host, syncStat }: Pick<CandidateContext, "host" | "syncStat">): LookupOptions {
  return { platform: host.platform, env: host.environment(), stat: syncStat };
}
