import {
  createRequestStateCodec,
  inputRequired,
  type McpServerFactory,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import process from "node:process";
import { createMcpTransport } from "../../lib/agent/mcp.ts";
import { MAX_BODY_BYTES } from "../../lib/http/body.ts";
import { checkAccess } from "../../lib/http/guard.ts";
import { problemResponse } from "../../lib/http/respond.ts";
import { loadServe } from "../../scripts/shared/runtime.ts";
import { FIXTURE_TOOLS, PNG } from "./fixture-tools.ts";

// What the conformance suite asks of a server that offers everything: its own tools, prompts and
// resources, behind the guard and on the transport of the product. Never shipped. Prints its address
// like `start.ts --json`.

const CAP = 60_000;
const HOST = "127.0.0.1";
const CACHE = { ttlMs: 60_000, cacheScope: "public" } as const;

const codec = createRequestStateCodec<string>({ key: crypto.getRandomValues(new Uint8Array(32)) });

const RESOURCES = [
  { uri: "test://static-text", mimeType: "text/plain" },
  { uri: "test://static-binary", mimeType: "image/png" },
  { uri: "test://watched-resource", mimeType: "text/plain" },
].map((resource) => ({ ...resource, name: resource.uri.slice(7), description: "A fixture" }));

function readResource(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const content = { id, templateTest: true, data: `Data for ID: ${id}` };
    return { uri, mimeType: "application/json", text: JSON.stringify(content) };
  }
  const resource = RESOURCES.find((known) => known.uri === uri);
  if (resource === undefined) throw new ResourceNotFoundError(uri);
  const { mimeType } = resource;
  return mimeType === "image/png"
    ? { uri, mimeType, blob: PNG }
    : { uri, mimeType, text: "This is the content of the static text resource." };
}

const user = (text: string) => ({
  role: "user" as const,
  content: { type: "text" as const, text },
});

const CONTEXT = inputRequired.elicit({
  message: "What context should the prompt use?",
  requestedSchema: {
    type: "object",
    properties: { context: { type: "string" } },
    required: ["context"],
  },
});

const PROMPTS: Readonly<Record<string, readonly string[]>> = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ["arg1", "arg2"],
  test_prompt_with_embedded_resource: ["resourceUri"],
  test_prompt_with_image: [],
  test_input_required_result_prompt: [],
};

function promptMessages(name: string, given: Readonly<Record<string, string>>) {
  switch (name) {
    case "test_prompt_with_arguments":
      return [user(`Prompt with arguments: arg1='${given["arg1"]}', arg2='${given["arg2"]}'`)];
    case "test_prompt_with_embedded_resource": {
      const resource = {
        uri: given["resourceUri"] ?? "",
        mimeType: "text/plain",
        text: "Embedded resource content for testing.",
      };
      return [
        { role: "user" as const, content: { type: "resource" as const, resource } },
        user("Please process the embedded resource above."),
      ];
    }
    case "test_prompt_with_image":
      return [
        {
          role: "user" as const,
          content: { type: "image" as const, data: PNG, mimeType: "image/png" },
        },
        user("Please analyze the image above."),
      ];
    default:
      return [user("This is a simple prompt for testing.")];
  }
}

const createFixture: McpServerFactory = () => {
  const server = new Server({ name: "slipway-conformance", version: "1.0.0" }, {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true },
      completions: {},
      logging: {},
    },
    cacheHints: {
      "tools/list": CACHE,
      "prompts/list": CACHE,
      "resources/list": CACHE,
      "resources/templates/list": CACHE,
      "resources/read": CACHE,
    },
    requestState: { verify: codec.verify },
  });
  server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(FIXTURE_TOOLS).map(([name, tool]) => ({
      name,
      description: "A fixture of the conformance suite",
      inputSchema: { ...tool.inputSchema, type: "object" },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const tool = FIXTURE_TOOLS[params.name];
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}`);
    }
    return await tool.run({
      args: params.arguments ?? {},
      context,
      mint: (state) => codec.mint(state, context),
      changed(list) {
        if (list === "tools") transport.notify.toolsChanged();
        else transport.notify.promptsChanged();
      },
    });
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(PROMPTS).map(([name, names]) => ({
      name,
      description: "A fixture of the conformance suite",
      arguments: names.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    if (params.name === "test_input_required_result_prompt") {
      if (mcpReq.inputResponses?.["user_context"] === undefined) {
        return inputRequired({ inputRequests: { user_context: CONTEXT } });
      }
    }
    return { messages: promptMessages(params.name, params.arguments ?? {}) };
  });
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler("resources/read", ({ params }) => ({
    contents: [readResource(params.uri)],
  }));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }));
  return server;
};

const transport = createMcpTransport(createFixture, MAX_BODY_BYTES);
const serve = await loadServe();
const served = await serve((request) => {
  const refusal = checkAccess(request, { hostname: HOST }, { changesState: true });
  return refusal === null
    ? transport.fetch(request)
    : Promise.resolve(problemResponse(refusal, CAP));
}, { hostname: HOST, port: 0 });
if (!served.ok) throw new Error(served.error.message);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void served.value.close().then(() => process.exit(0)));
}
console.log(JSON.stringify({ mcp: `${served.value.url}/mcp` }));
