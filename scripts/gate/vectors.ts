import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { listFiles } from "./files.ts";

const SCHEMAS = "vectors/schema";

/**
 * Returns the faults of a checkout's vectors, one sentence each. A file contains a scenario or an
 * array of them; a scenario is checked against `vectors/schema/<kind>.schema.json` (`kind` absent
 * means boot), or against the only schema if there is just one.
 */
export function checkVectors(root: string): readonly string[] {
  const violations: string[] = [];
  const schemas = readSchemas(root, violations);
  const paths = listFiles(root, ["vectors"], [".json"])
    .filter((path) => !path.startsWith(`${SCHEMAS}/`));
  if (paths.length === 0) violations.push("vectors/: has no vector; expected .json files");

  const seen = new Map<string, string>();
  for (const path of paths) {
    const content = readJson(root, path, violations);
    if (content === undefined) continue;
    for (const [index, scenario] of (Array.isArray(content) ? content : [content]).entries()) {
      const id = member(scenario, "id");
      const name = typeof id === "string" ? `${path}: ${id}` : `${path}[${index}]`;
      if (typeof id === "string") {
        const earlier = seen.get(id);
        if (earlier === undefined) seen.set(id, path);
        else violations.push(`${name}: the id stands in ${earlier} already`);
      }
      violations.push(...judge(scenario, schemas).map((wrong) => `${name}: ${wrong}`));
    }
  }
  return violations;
}

function readSchemas(root: string, violations: string[]): ReadonlyMap<string, ValidateFunction> {
  const paths = listFiles(root, [SCHEMAS], [".schema.json"]);
  if (paths.length === 0) {
    violations.push(`${SCHEMAS}/: has no schema; expected <kind>.schema.json`);
  }
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  const validators = new Map<string, ValidateFunction>();
  const keys: { kind: string; key: string; path: string }[] = [];
  // All are added before any is compiled, because they may refer to each other.
  for (const path of paths) {
    const schema = readJson(root, path, violations);
    if (typeof schema !== "object" || schema === null) continue;
    const kind = path.slice(SCHEMAS.length + 1, -".schema.json".length);
    const id = member(schema, "$id");
    const key = typeof id === "string" ? id : `${kind}.schema.json`;
    try {
      ajv.addSchema(schema, typeof id === "string" ? undefined : key);
      keys.push({ kind, key, path });
    } catch (thrown) {
      violations.push(`${path}: is no JSON Schema: ${String(thrown)}`);
    }
  }
  for (const { kind, key, path } of keys) {
    try {
      const validate = ajv.getSchema(key);
      if (validate !== undefined) validators.set(kind, validate);
    } catch (thrown) {
      violations.push(`${path}: is no JSON Schema: ${String(thrown)}`);
    }
  }
  return validators;
}

function judge(
  scenario: unknown,
  schemas: ReadonlyMap<string, ValidateFunction>,
): readonly string[] {
  if (schemas.size === 0) return []; // already reported
  const kind = member(scenario, "kind") ?? "boot";
  const [only] = schemas.size === 1 ? schemas.values() : [];
  const validate = schemas.get(String(kind)) ?? only;
  if (validate === undefined) return [`kind ${JSON.stringify(kind)} has no schema in ${SCHEMAS}/`];
  if (validate(scenario)) return [];
  return (validate.errors ?? []).map((error) =>
    `${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`
  );
}

function readJson(root: string, path: string, violations: string[]): unknown {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch (thrown) {
    violations.push(`${path}: is not JSON: ${String(thrown)}`);
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
