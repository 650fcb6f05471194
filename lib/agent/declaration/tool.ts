import type { z } from "zod";
import type { Work } from "../../core/cooperative.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { ExclusiveOptions } from "../../editor/ports/mod.ts";
import type { Narrowing } from "../answer/budget.ts";
import { parseArguments, underCurrentNames } from "./arguments.ts";
import type { Services } from "./services.ts";
import { smallJsonSchema } from "./wire-schema.ts";

/** Parameters that mean the same wherever they occur: the MCP instructions say what, once. */
const SHARED_PARAMETERS = [
  "limit",
  "after",
  "precision",
  "id",
  "guid",
  "if_rev",
  "echo",
  "dryRun",
  "inline",
  "asset",
  "parentId",
];

/** Parameters whose name says all that a caller needs, wherever they occur. */
const PLAIN_PARAMETERS = [
  "action",
  "fingers",
  "fps",
  "frames",
  "guids",
  "handle",
  "height",
  "ids",
  "label",
  "loop",
  "name",
  "steps",
  "trait",
  "width",
  "x",
  "y",
];

/** Parameters that make no answer shorter, or that an envelope's hint names by itself. */
const NEVER_NARROWS = ["limit", "after", "full", "precision", "inline"];

/** The size warning of a list without one of its own. */
const LONG_LIST = "by limit=";

/** A tool's effects, where they differ from the protocol's defaults (MCP `ToolAnnotations`). */
export interface ToolAnnotations {
  /** Changes nothing; `false` when absent. */
  readonly readOnlyHint?: boolean;
  /** May remove or overwrite; `true` when absent. */
  readonly destructiveHint?: boolean;
  /** A second equal call changes nothing more; `false` when absent. */
  readonly idempotentHint?: boolean;
  /** Reaches beyond the open project; `true` when absent. */
  readonly openWorldHint?: boolean;
}

/** The call that a producer serves, as it is told of it. */
export interface CallContext {
  /** Aborted when nobody waits for the answer any more: long work ends early, others may ignore it. */
  readonly signal: AbortSignal;
  /** Says how far long work is. Nobody may listen. @param total Absent where it is not known. */
  readonly progress: (done: number, total?: number, message?: string) => void;
}

/** The annotations of a tool that only looks at the open project. */
export const READ_ONLY: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/**
 * How a tool's own route is called, beside `POST /api/tools/<name>`: `query` is a `GET` with the
 * arguments in the query; `body` a `POST` with a JSON object; `both` the two of them; `stream` a `GET` that starts work and
 * answers with the events of the job that the tool names as `job` (TOOL-7).
 */
export type RouteKind = "query" | "body" | "both" | "stream";

/** A picture that goes beside an answer, outside its cap. */
export interface Attachment {
  /** Its format. */
  readonly mimeType: "image/png";
  /** Its file. */
  readonly bytes: Uint8Array;
}

/**
 * A tool as its file declares it: data, a producer and a summary. Everything that callers read or
 * rely on (description, schema, routes, hints) is made from this.
 */
export interface ToolDeclaration<Schema extends z.ZodObject, Produced> {
  readonly name: string;
  /** The path of its own route; a `:name` in it is the argument of that name. */
  readonly route: string;
  /** How that route is called; `query` when absent. */
  readonly routeKind?: RouteKind;
  /** Defaults of that route's query: programs read more there than agents need. */
  readonly routeDefaults?: Partial<z.output<Schema>>;
  /** Its purpose, one sentence: agents search by it. */
  readonly purpose: string;
  /** The shape of an untargeted answer (TOOL-1). */
  readonly defaultShape: string;
  /** All optional: a tool answers without any, or says which one it needs (see {@linkcode refuseMissing}). */
  readonly parameters: Schema;
  /** Earlier names of parameters, which are taken until 1.0; no list shows them. */
  readonly formerNames?: Readonly<Record<string, keyof z.output<Schema> & string>>;
  /** The parameters that narrow or widen the answer, with what they bring (TOOL-1, TOOL-2). */
  readonly drillDown: Readonly<Partial<Record<keyof z.output<Schema> & string, string>>>;
  /** Where a full dump is large (TOOL-1); of a list that takes `limit=` it is said anyway. */
  readonly sizeWarning?: string;
  readonly annotations: ToolAnnotations;
  /** Whether all that it changes is a step of undo of the open scene: such calls may stand in a batch. */
  readonly undoable?: boolean;
  /** Whether it changes the scene or files of the project: then it waits for its turn. As `undoable` when absent. */
  readonly exclusive?: boolean;
  /**
   * The list that a call narrows by a filter: without a limit it is filled up to the cap instead of
   * withheld (BUDGET-9). The tool then takes `after=`. `null` for a call without a filter.
   */
  fills?(args: z.output<Schema>): string | null;
  /**
   * Gets everything that the summary may need; never cuts or rounds (BUDGET-1). Arguments are checked
   * before work begins: a refused call changes nothing (TOOL-12).
   */
  produce(
    services: Services,
    args: z.output<Schema>,
    context: CallContext,
  ): Promise<Result<Produced, Problem>>;
  /** The answer that the caller sees, before rounding and the cap; as work where it grows with the scene. */
  summarize(
    produced: Produced,
    args: z.output<Schema>,
  ): Result<object | string, Problem> | Work<Result<object | string, Problem>>;
  /** Attachments that agents can be shown; none if absent. */
  attach?(produced: NoInfer<Produced>): readonly Attachment[];
}

/** A parameter as documents show it. */
export interface ParameterInfo {
  /** As arguments and queries spell it. */
  readonly name: string;
  /** Its effect, in a few words. */
  readonly doc: string;
  /** JSON Schema of its value. */
  readonly schema: JsonObject;
}

/** A call whose arguments are understood. */
export interface PreparedCall {
  /** Significant digits asked for. */
  readonly precision: number | undefined;
  /** Advice for an answer that is over the cap. */
  readonly narrowing: Narrowing;
  /** Asks the producer. */
  produce(services: Services, context: CallContext): Promise<Result<Summary, Problem>>;
}

/** A producer's result, ready to be summarised. */
export interface Summary {
  /** The answer that the caller sees, before rounding and the cap. */
  summarize(): Work<Result<object | string, Problem>>;
  /** Its attachments. */
  readonly attachments: readonly Attachment[];
}

/** A tool as both transports see it. */
export interface Tool {
  /** As MCP and `POST /api/tools/<name>` spell it. */
  readonly name: string;
  /** The path of its own route; a `:name` in it is the argument of that name. */
  readonly route: string;
  /** How that route is called. */
  readonly routeKind: RouteKind;
  /** Defaults of that route's query. */
  readonly routeDefaults: Readonly<Record<string, unknown>>;
  /** Its purpose, one sentence without its period. */
  readonly purpose: string;
  /** Generated: purpose, default shape, drill-down parameters, size warning. */
  readonly description: string;
  /** Its effects. */
  readonly annotations: ToolAnnotations;
  /** Whether all that it changes is a step of undo of the open scene. */
  readonly undoable: boolean;
  /** Whether it waits for its turn among all that change the project. */
  readonly exclusive: boolean;
  /** In order of declaration. */
  readonly parameters: readonly ParameterInfo[];
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
  /** The same without the docs that the description or the instructions give. */
  readonly wireSchema: JsonObject;
  /** Understands arguments; the one parser of both transports. */
  prepare(args: Readonly<Record<string, unknown>>): Result<PreparedCall, Problem>;
}

/** Makes a tool of its declaration. */
export function defineTool<Schema extends z.ZodObject, Produced>(
  declaration: ToolDeclaration<Schema, Produced>,
): Tool {
  const { name, route, routeKind = "query", annotations, parameters, undoable = false } =
    declaration;
  const { exclusive = undoable, formerNames = {} } = declaration;
  const shape: z.core.$ZodShape = parameters.shape;
  const drillDown = Object.keys(declaration.drillDown)
    .filter((parameter) => !NEVER_NARROWS.includes(parameter));
  let infos: readonly ParameterInfo[] | undefined;
  let inputSchema: JsonObject | undefined;
  let wireSchema: JsonObject | undefined;
  return {
    name,
    route,
    routeKind,
    routeDefaults: declaration.routeDefaults ?? {},
    purpose: declaration.purpose,
    description: describe(declaration),
    annotations: withoutDefaults(annotations),
    undoable,
    exclusive,
    // Made when first read: all schemas of all tools take a quarter of the start of a process.
    get parameters() {
      return infos ??= Object.entries(shape).map(([key, schema]) => infoOf(key, schema));
    },
    get inputSchema() {
      return inputSchema ??= smallJsonSchema(parameters);
    },
    get wireSchema() {
      return wireSchema ??= wireSchemaOf(declaration);
    },
    prepare(args) {
      const parsed = parseArguments(name, parameters, underCurrentNames(args, formerNames));
      if (!parsed.ok) return parsed;
      const value = parsed.value;
      const full = Reflect.get(value, "full") === true;
      const precision: unknown = Reflect.get(value, "precision");
      const isLimited = Reflect.get(value, "limit") !== undefined;
      const fills = isLimited ? null : declaration.fills?.(value) ?? null;
      const after: unknown = Reflect.get(value, "after");
      return ok({
        precision: typeof precision === "number" ? precision : undefined,
        narrowing: {
          drillDown,
          limit: "limit" in shape,
          full,
          ...(fills !== null && { fills: { list: fills, after: Number(after ?? 0) } }),
        },
        async produce(services, context) {
          const produced = exclusive
            ? await exclusively(
              name,
              services,
              (inside) => declaration.produce(inside, value, context),
              { signal: context.signal },
            )
            : await declaration.produce(services, value, context);
          if (!produced.ok) return produced;
          return ok({
            *summarize() {
              const summary = declaration.summarize(produced.value, value);
              return "ok" in summary ? summary : yield* summary;
            },
            attachments: declaration.attach?.(produced.value) ?? [],
          });
        },
      });
    },
  };
}

/** Runs work of a tool alone among all that change the project (TOOL-10). */
export function exclusively<T>(
  tool: string,
  services: Services,
  work: (services: Services) => Promise<Result<T, Problem>>,
  options: ExclusiveOptions,
): Promise<Result<T, Problem>> {
  const { editor } = services;
  if (editor.exclusive === undefined) return work(services);
  return editor.exclusive(tool, (inside) => work({ ...services, editor: inside }), options);
}

/** Annotations say what differs from the protocol's defaults: the rest costs every agent tokens. */
function withoutDefaults(
  { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: ToolAnnotations,
): ToolAnnotations {
  return {
    ...(readOnlyHint === true && { readOnlyHint }),
    // Both mean nothing of a tool that only reads.
    ...(readOnlyHint !== true && destructiveHint === false && { destructiveHint }),
    ...(readOnlyHint !== true && idempotentHint === true && { idempotentHint }),
    ...(openWorldHint === false && { openWorldHint }),
  };
}

function describe<Schema extends z.ZodObject, Produced>(
  { purpose, defaultShape, drillDown, parameters, sizeWarning }: ToolDeclaration<Schema, Produced>,
): string {
  const size = sizeWarning ?? ("limit" in parameters.shape ? LONG_LIST : undefined);
  const ways = Object.entries(drillDown).map(([parameter, brings]) => `${parameter}= ${brings}`);
  return [
    `${purpose}.`,
    `Default: ${defaultShape}.`,
    ...(ways.length > 0 ? [`Narrow: ${ways.join("; ")}.`] : []),
    ...(size !== undefined ? [`Size: ${size}.`] : []),
  ].join(" ");
}

function wireSchemaOf<Schema extends z.ZodObject, Produced>(
  { parameters, drillDown }: ToolDeclaration<Schema, Produced>,
): JsonObject {
  const undocumented = [...SHARED_PARAMETERS, ...PLAIN_PARAMETERS, ...Object.keys(drillDown)];
  return smallJsonSchema(parameters, { withoutBounds: true, undocumented });
}

function infoOf(name: string, parameter: z.core.$ZodType): ParameterInfo {
  const { description, ...schema } = smallJsonSchema(parameter);
  return { name, doc: typeof description === "string" ? description : "", schema };
}
