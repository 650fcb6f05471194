import type { z } from "zod";
import { didYouMean } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";

/** Parses arguments; refuses any that the schema does not define (TOOL-3). */
export function parseArguments<Schema extends z.ZodObject>(
  tool: string,
  schema: Schema,
  args: Readonly<Record<string, unknown>>,
): Result<z.output<Schema>, Problem> {
  const accepted = Object.keys(schema.shape);
  for (const name of Object.keys(args)) {
    if (!accepted.includes(name)) return refuseUnknown(tool, name, accepted);
  }
  const parsed = schema.safeParse(given(args), { reportInput: true });
  if (parsed.success) return ok(parsed.data);
  const wrong = new Map<string, string>();
  for (const issue of parsed.error.issues) {
    const [first = "", ...inner] = issue.path.map(String);
    const found = inner.length === 0 ? args[first] : issue.input;
    const sentence = `${partName(first, inner)}: expected ${issue.message}, found ${show(found)}`;
    if (!wrong.has(first)) wrong.set(first, sentence);
  }
  const details = [...wrong.values()];
  return refuse(
    400,
    "bad-argument",
    `Cannot call ${tool}: ${details.join("; ")}`,
    `Correct ${[...wrong.keys()].join(", ")} and call again`,
  );
}

/**
 * Omits arguments that are `null`, which some callers send for absent ones; as a parent, `null` is
 * the top (TOOL-5).
 */
function given(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(args)
      .map(([name, value]) => [name, value === null && name === "parentId" ? 0 : value] as const)
      .filter(([, value]) => value !== null),
  );
}

/** Returns the path of a part of an argument: `ops[2].fields.x`. */
function partName(argument: string, inner: readonly string[]): string {
  const steps = inner.map((step) => /^\d+$/.test(step) ? `[${step}]` : `.${step}`);
  return `${argument}${steps.join("").slice(0, 120)}`;
}

/**
 * Refuses an argument that is not accepted, naming those that are (TOOL-3): 400 `unknown-argument`.
 */
export function refuseUnknown(
  where: string,
  name: string,
  accepted: readonly string[],
): Result<never, Problem> {
  const list = accepted.length > 0 ? accepted.join(", ") : "none";
  return refuse(
    400,
    "unknown-argument",
    `${where} does not take ${show(name)}; it accepts: ${list}`,
    didYouMean(name, accepted, `Remove ${show(name)} and call again`),
  );
}

/** Refuses a call without an argument that it needs: 400 `missing-argument`. */
export function refuseMissing(
  tool: string,
  name: string,
  hint: string,
): Result<never, Problem> {
  return refuse(400, "missing-argument", `Cannot call ${tool}: ${name} is missing`, hint);
}

/** Shortens a value for an error. */
function show(value: unknown): string {
  if (value === null || typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "string") {
    const rest = value.length > 80 ? `… (${value.length} characters)` : "";
    return `${JSON.stringify(value.slice(0, 80))}${rest}`;
  }
  return Array.isArray(value) ? `a list of ${value.length}` : `a value of type ${typeof value}`;
}
