import type { Tool } from "../agent/mod.ts";
import { isRecord, type JsonObject } from "../core/json.ts";
import { unreachable } from "../core/result.ts";
import { WHOLE_PRODUCERS } from "./whole-producers.ts";

/** This interface as an OpenAPI 3.1 document, made from the declarations of the tools. */
export function openApiDocument(tools: readonly Tool[], version: string): object {
  const paths = new Map<string, object>();
  for (const tool of tools) {
    const path = tool.route.replace(/:(\w+)/g, "{$1}");
    paths.set(path, { ...paths.get(path), ...routeOperation(tool) }); // one reads, one changes
    paths.set(`/api/tools/${tool.name}`, { post: bodyOperation(tool) });
  }
  return {
    openapi: "3.1.0",
    info: { title: "Slipway", version, description: "Tools of a game editor, for agents." },
    paths: { ...Object.fromEntries(paths), ...SERVICE_PATHS },
    components: { schemas: { Problem: PROBLEM, Elided: ELIDED }, responses: { Problem: FAILURE } },
  };
}

function routeOperation(tool: Tool): object {
  switch (tool.routeKind) {
    case "query":
      return { get: queryOperation(tool) };
    case "stream":
      return { get: { ...queryOperation(tool), responses: EVENTS } };
    case "body":
      return { post: postOperation(tool) };
    case "both":
      return {
        get: queryOperation(tool),
        post: { ...postOperation(tool), operationId: `${tool.name}_post` },
      };
    default:
      return unreachable(tool.routeKind);
  }
}

/** Returns the operation of the tool's own `POST`: parameters of the path are not in the body. */
function postOperation(tool: Tool): object {
  const inPath = tool.parameters.filter(({ name }) => tool.route.includes(`:${name}`));
  const { properties, ...schema } = tool.inputSchema;
  const rest = Object.entries(isRecord(properties) ? properties : {})
    .filter(([name]) => inPath.every((parameter) => parameter.name !== name));
  const generic = bodyOperation({
    ...tool,
    inputSchema: { ...schema, properties: Object.fromEntries(rest) },
  });
  return {
    ...generic,
    operationId: tool.name,
    parameters: [
      ...inPath.map(({ name, doc, schema }) => ({
        name,
        in: "path",
        required: true,
        description: doc,
        schema,
      })),
      ...CALL_HEADERS,
    ],
  };
}

function queryOperation({ name, description, parameters, routeDefaults }: Tool): object {
  return {
    operationId: name,
    summary: description,
    parameters: [
      ...parameters.map(({ name, doc, schema }) => ({
        name,
        in: "query",
        description: doc,
        ...queryValue(schema),
        ...(Object.hasOwn(routeDefaults, name) && { schema: { ...FLAG, default: "1" } }),
      })),
      ...CALL_HEADERS,
    ],
    responses: ANSWERS,
  };
}

/**
 * Returns the schema of a value in a query: plain, a list with commas, anything nested as JSON
 * text.
 */
function queryValue(schema: JsonObject): object {
  const items = schema["items"];
  const nested = isRecord(items) ? items["type"] === "object" : schema["type"] === "object";
  if (nested || schema["type"] === undefined) {
    return { content: { "application/json": { schema } } };
  }
  if (schema["type"] === "array") return { schema, style: "form", explode: false };
  return { schema: schema["type"] === "boolean" ? FLAG : schema };
}

function bodyOperation(
  { name, description, inputSchema }: Pick<Tool, "name" | "description" | "inputSchema">,
): object {
  return {
    operationId: `call_${name}`,
    summary: description,
    parameters: CALL_HEADERS,
    requestBody: { content: { "application/json": { schema: inputSchema } } },
    responses: ANSWERS,
  };
}

const FLAG = { enum: ["1", "0", "true", "false"], type: "string" };
const CAP_HEADER = {
  name: "X-Svc-Cap",
  in: "header",
  description: "a lower cap of the answer, in characters",
  schema: { type: "integer", minimum: 1 },
};
const INSTANCE_HEADER = {
  name: "X-Svc-Instance",
  in: "header",
  description: "the editor that is meant, as X-Svc-Identity names it; 409 when another answers",
  schema: { type: "string" },
};
const CALLER_HEADER = {
  name: "X-Svc-Caller",
  in: "header",
  description:
    "the caller, for journals and undo: the editor's page sends human. A browser has to " +
    "send it with requests that change or start something",
  schema: { enum: ["human", "agent"], default: "agent" },
};
const CALL_HEADERS = [CAP_HEADER, INSTANCE_HEADER, CALLER_HEADER];
const PROBLEM = {
  type: "object",
  description: "RFC 9457",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string" },
    hint: { type: "string" },
  },
  required: ["type", "title", "status", "detail", "code", "hint"],
};
const ELIDED = {
  type: "object",
  description: "Replaces an answer over the cap",
  properties: {
    elided: { const: true },
    bytes: { type: "integer" },
    hint: { type: "string" },
    preview: { type: "object" },
  },
  required: ["elided", "bytes", "hint", "preview"],
};
const FAILURE = {
  description: "Why not",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};
const ANSWERS = {
  200: {
    description: "The answer, or the elision envelope if it is over the cap",
    headers: { "X-Svc-Identity": { description: "which editor", schema: { type: "string" } } },
    content: {
      "application/json": {
        schema: { anyOf: [{ type: "object" }, { $ref: "#/components/schemas/Elided" }] },
      },
    },
  },
  default: { $ref: "#/components/responses/Problem" },
};
const EVENTS = {
  200: {
    description: "Server-sent events: log, progress, then done or problem; with dryRun an object",
    content: {
      "text/event-stream": { schema: { type: "string" } },
      "application/json": { schema: { type: "object" } },
    },
  },
  204: { description: "There is nothing more" },
  default: { $ref: "#/components/responses/Problem" },
};
const SESSION = {
  204: {
    description: "Done",
    headers: { "Set-Cookie": { description: "the key", schema: { type: "string" } } },
  },
  default: { $ref: "#/components/responses/Problem" },
};
const WHOLE = {
  200: {
    description: "The complete output of the producer",
    headers: { ETag: { description: "of a scene's revision", schema: { type: "string" } } },
    content: { "application/json": { schema: { type: "object" } } },
  },
  304: { description: "It is the one that If-None-Match names" },
  default: { $ref: "#/components/responses/Problem" },
};
const JOB_ID = { name: "id", in: "path", required: true, schema: { type: "string" } };
const SERVICE_PATHS = {
  "/api/tools": {
    get: {
      operationId: "list_tools",
      summary: "Names and descriptions of the tools",
      responses: {
        200: {
          description: "The tools",
          content: { "application/json": { schema: { type: "object" } } },
        },
        default: { $ref: "#/components/responses/Problem" },
      },
    },
  },
  "/api/jobs/{id}/events": {
    get: {
      operationId: "follow_job",
      summary: "Events of a job (log, progress, done, problem), as they occur",
      parameters: [
        JOB_ID,
        { name: "Last-Event-ID", in: "header", schema: { type: "string" } },
      ],
      responses: EVENTS,
    },
  },
  "/api/session": {
    post: {
      operationId: "open_session",
      summary: "Lets a page in that shows the token: it gets a cookie that no script reads",
      requestBody: {
        content: {
          "application/json": {
            schema: { type: "object", properties: { token: { type: "string" } } },
          },
        },
      },
      responses: SESSION,
    },
  },
  "/api/session/end": {
    post: {
      operationId: "end_session",
      summary: "Forgets the page that asks",
      responses: SESSION,
    },
  },
  "/api/uploads": {
    post: {
      operationId: "upload_file",
      summary: "Keeps a file until import_file takes it",
      parameters: [
        { name: "name", in: "query", required: true, schema: { type: "string" } },
        {
          name: "group",
          in: "query",
          description: "of files that lie together, as a .gltf and its .bin",
          schema: { type: "string" },
        },
      ],
      requestBody: { content: { "application/octet-stream": { schema: {} } } },
      responses: ANSWERS,
    },
  },
  "/api/changes": {
    get: {
      operationId: "follow_changes",
      summary: "All that happens, as it happens: hello or reset, then one event a change",
      parameters: [
        {
          name: "since",
          in: "query",
          description: "the id of the last received event",
          schema: { type: "string" },
        },
        { name: "Last-Event-ID", in: "header", schema: { type: "string" } },
      ],
      responses: {
        200: {
          description: "Server-sent events, named by their kind, with ids <epoch>:<n>. " +
            "While nothing happens, `alive` is sent every 4 s, without an id",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        default: { $ref: "#/components/responses/Problem" },
      },
    },
  },
  "/api/content/{path}": {
    get: {
      operationId: "read_content",
      summary: "The project's assets as pages that draw read them, and a game.json of all of them",
      parameters: [{ name: "path", in: "path", required: true, schema: { type: "string" } }],
      responses: {
        200: {
          description: "The file",
          headers: { ETag: { description: "of the file", schema: { type: "string" } } },
          content: { "application/octet-stream": { schema: { type: "string" } } },
        },
        304: { description: "It is the one that If-None-Match names" },
        default: { $ref: "#/components/responses/Problem" },
      },
    },
  },
  ...Object.fromEntries(
    Object.entries(WHOLE_PRODUCERS).map(([name, { query }]) => [`/api/whole/${name}`, {
      get: {
        operationId: `whole_${name.replaceAll("-", "_")}`,
        summary: "All that the producer returns, for panels",
        parameters: query.map((one) => ({ name: one, in: "query", schema: { type: "string" } })),
        responses: WHOLE,
      },
    }]),
  ),
};
