import type { z } from "zod";
import type { Work } from "../../core/cooperative.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { ExclusiveOptions } from "../../editor/ports/mod.ts";
import type { Narrowing } from "../answer/budget.ts";
import { parseArguments } from "./arguments.ts";
import type { Services } from "./services.ts";
import { smallJsonSchema } from "./wire-schema.ts";

/** Parameters with the same meaning in every tool, documented once in the MCP instructions. */
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

/** Parameters whose name is documentation enough. */
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

/** Parameters that do not shorten an answer, or that the envelope's hint names separately. */
const NEVER_NARROWS = ["limit", "after", "full", "precision", "inline"];

/** Size warning of a list that declares none of its own. */
const LONG_LIST = "by limit=";

/** Effects of a tool where they differ from the protocol's defaults (MCP `ToolAnnotations`). */
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

/** Context of a call, passed to the producer. */
export interface CallContext {
  /**
   * Aborted when the caller no longer waits: long work should end early; short work may ignore it.
   */
  readonly signal: AbortSignal;
  /** Reports progress; there may be no listener. @param total Absent if unknown. */
  readonly progress: (done: number, total?: number, message?: string) => void;
}

/** Annotations of a tool that only reads the open project. */
export const READ_ONLY: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/**
 * Method of a tool's own route, in addition to `POST /api/tools/<name>`: `query` is a `GET` with
 * the arguments in the query, `body` a `POST` with a JSON object, `both` accepts either. `stream`
 * is a `GET` that starts a job and answers with its events; the tool's answer names the job as
 * `job` (TOOL-7).
 */
export type RouteKind = "query" | "body" | "both" | "stream";

/** A picture that accompanies an answer, outside its cap. */
export interface Attachment {
  /** Its format. */
  readonly mimeType: "image/png";
  /** Its file. */
  readonly bytes: Uint8Array;
}

/**
 * The declaration of a tool: data, a producer and a summary. Its description, schema, routes and
 * hints are generated from it.
 */
export interface ToolDeclaration<Schema extends z.ZodObject, Produced> {
  readonly name: string;
  /** Path of its own route; a `:name` in it is the argument of that name. */
  readonly route: string;
  /** Method of that route; `query` when absent. */
  readonly routeKind?: RouteKind;
  /** Default arguments of that route: programs read more there than agents need. */
  readonly routeDefaults?: Partial<z.output<Schema>>;
  /** Its purpose in one sentence, by which agents search. */
  readonly purpose: string;
  /** The shape of an untargeted answer (TOOL-1). */
  readonly defaultShape: string;
  /**
   * All optional: a tool answers without any, or names the one that it needs (see {@linkcode
   * refuseMissing}).
   */
  readonly parameters: Schema;
  /** The parameters that narrow or widen the answer, with their effect (TOOL-1, TOOL-2). */
  readonly drillDown: Readonly<Partial<Record<keyof z.output<Schema> & string, string>>>;
  /**
   * Cases in which a full dump is large (TOOL-1); added automatically for a list that takes
   * `limit=`.
   */
  readonly sizeWarning?: string;
  readonly annotations: ToolAnnotations;
  /** Whether all its changes are undo steps of the open scene; only then may a batch contain it. */
  readonly undoable?: boolean;
  /**
   * Whether it changes the scene or the project's files, so that its calls are serialized. As
   * `undoable` when absent.
   */
  readonly exclusive?: boolean;
  /**
   * Returns the list that a call narrows with a filter, or `null` for a call without one. Without a
   * limit, that list is filled up to the cap instead of being withheld (BUDGET-9). The tool then
   * takes `after=`.
   */
  fills?(args: z.output<Schema>): string | null;
  /**
   * Reads everything that the summary may need; never cuts or rounds (BUDGET-1). Validates all
   * arguments before any change: a refused call changes nothing (TOOL-12).
   */
  produce(
    services: Services,
    args: z.output<Schema>,
    context: CallContext,
  ): Promise<Result<Produced, Problem>>;
  /**
   * Returns the caller's answer before rounding and the cap; as yielding work if it grows with the
   * scene.
   */
  summarize(
    produced: Produced,
    args: z.output<Schema>,
  ): Result<object | string, Problem> | Work<Result<object | string, Problem>>;
  /** Attachments that agents can show; none if absent. */
  attach?(produced: NoInfer<Produced>): readonly Attachment[];
}

/** A parameter as documentation lists it. */
export interface ParameterInfo {
  /** Its spelling in arguments and queries. */
  readonly name: string;
  /** Its effect, in a few words. */
  readonly doc: string;
  /** JSON Schema of its value. */
  readonly schema: JsonObject;
}

/** A call with parsed arguments. */
export interface PreparedCall {
  /** Requested significant digits. */
  readonly precision: number | undefined;
  /** Advice for an answer that is over the cap. */
  readonly narrowing: Narrowing;
  /** Runs the producer. */
  produce(services: Services, context: CallContext): Promise<Result<Summary, Problem>>;
}

/** A producer's result, ready to be summarized. */
export interface Summary {
  /** Returns the caller's answer before rounding and the cap. */
  summarize(): Work<Result<object | string, Problem>>;
  /** Its attachments. */
  readonly attachments: readonly Attachment[];
}

/** A tool for both transports. */
export interface Tool {
  /** Its name in MCP and in `POST /api/tools/<name>`. */
  readonly name: string;
  /** Path of its own route; a `:name` in it is the argument of that name. */
  readonly route: string;
  /** Method of that route. */
  readonly routeKind: RouteKind;
  /** Defaults of that route's query. */
  readonly routeDefaults: Readonly<Record<string, unknown>>;
  /** Its purpose, one sentence without its period. */
  readonly purpose: string;
  /** Generated: purpose, default shape, drill-down parameters, size warning. */
  readonly description: string;
  /** Its effects, as MCP annotations. */
  readonly annotations: ToolAnnotations;
  /** Whether all its changes are undo steps of the open scene. */
  readonly undoable: boolean;
  /** Whether its calls are serialized with other project changes. */
  readonly exclusive: boolean;
  /** In order of declaration. */
  readonly parameters: readonly ParameterInfo[];
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
  /** The same schema without the documentation that the description or the instructions give. */
  readonly wireSchema: JsonObject;
  /** Parses arguments, for both transports. */
  prepare(args: Readonly<Record<string, unknown>>): Result<PreparedCall, Problem>;
}

/** Creates a tool from its declaration. */
export function defineTool<Schema extends z.ZodObject, Produced>(
  declaration: ToolDeclaration<Schema, Produced>,
): Tool {
  const { name, route, routeKind = "query", annotations, parameters, undoable = false } =
    declaration;
  const { exclusive = undoable } = declaration;
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
    // Created on first read: generating all schemas would take a quarter of the start of a process.
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
      const parsed = parseArguments(name, parameters, args);
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

/** Runs a tool's work serialized with all other project changes (TOOL-10). */
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

/** Drops annotations that equal the protocol's defaults, because each costs every agent tokens. */
function withoutDefaults(
  { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: ToolAnnotations,
): ToolAnnotations {
  return {
    ...(readOnlyHint === true && { readOnlyHint }),
    // Neither applies to a tool that only reads.
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
