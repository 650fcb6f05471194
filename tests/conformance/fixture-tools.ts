import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../lib/core/json.ts";

// What the conformance suite asks servers for, under the names and with the texts that it looks for.

/** One pixel. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/** No samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQAAAAA=";

/** What a fixture tool may use. */
export interface FixtureCall {
  readonly args: Readonly<Record<string, unknown>>;
  readonly context: ServerContext;
  /** Seals what a client gives back in its next round. */
  readonly mint: (state: string) => Promise<string>;
  /** Tells subscribers that a list has changed. */
  readonly changed: (list: "tools" | "prompts") => void;
}

/** One tool of the fixture. */
export interface FixtureTool {
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  run(call: FixtureCall): FixtureAnswer | Promise<FixtureAnswer>;
}

type FixtureAnswer = CallToolResult | InputRequiredResult;

const text = (line: string): CallToolResult => ({ content: [{ type: "text", text: line }] });

const stringField = (name: string) => ({
  type: "object" as const,
  properties: { [name]: { type: "string" as const } },
  required: [name],
});

const NAME = inputRequired.elicit({
  message: "What is your name?",
  requestedSchema: stringField("name"),
});
const CONFIRM = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: {
    type: "object",
    properties: { ok: { type: "boolean" } },
    required: ["ok"],
  },
});
const question = (words: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: words } }],
    maxTokens,
  });

/** What the client said to a request, when it is an answer at all. */
function responseTo({ mcpReq }: ServerContext, key: string): object | null {
  const given: unknown = mcpReq.inputResponses?.[key];
  return typeof given === "object" && given !== null ? given : null;
}

/** What the client said it can do, in the envelope of this request. */
function clientCapabilities({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> {
  const envelope: unknown = mcpReq.envelope;
  const found = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return isRecord(found) ? found : {};
}

/** A tool that asks for one thing and ends when it has it. */
function asking(key: string, request: typeof NAME): FixtureTool {
  return {
    run: ({ context }) => {
      const response = responseTo(context, key);
      return response === null
        ? inputRequired({ inputRequests: { [key]: request } })
        : text(`Got ${JSON.stringify(response)}`);
    },
  };
}

/** A tool that asks for several things at once, with a sealed state. */
function askingSealed(requests: Readonly<Record<string, typeof NAME>>): FixtureTool {
  return {
    async run({ context, mint }) {
      const all = Object.keys(requests).every((key) => responseTo(context, key) !== null);
      if (all && context.mcpReq.requestState() === "sealed") return text("state-ok");
      return inputRequired({ inputRequests: requests, requestState: await mint("sealed") });
    },
  };
}

async function log({ mcpReq }: ServerContext, line: string): Promise<void> {
  await mcpReq.log("info", line);
}

/** Every tool of the fixture, by name. */
export const FIXTURE_TOOLS: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: { run: () => text("This is a simple text response for testing.") },
  test_image_content: {
    run: () => ({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
  },
  test_audio_content: {
    run: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  },
  test_embedded_resource: {
    run: () => ({
      content: [{
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      }],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: PNG, mimeType: "image/png" },
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: '{"test":"data","value":123}',
          },
        },
      ],
    }),
  },
  test_tool_with_logging: {
    async run({ context }) {
      await log(context, "Tool execution started");
      await sleep(50);
      await log(context, "Tool processing data");
      await sleep(50);
      await log(context, "Tool execution completed");
      return text("Logged");
    },
  },
  test_logging_tool: {
    async run({ context }) {
      await log(context, "Only for those who asked for logs");
      return text("Logged");
    },
  },
  test_tool_with_progress: {
    async run({ context: { mcpReq } }) {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progress > 0) await sleep(50);
        if (progressToken === undefined) continue;
        const params = { progressToken, progress, total: 100 };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      return text("Done");
    },
  },
  test_error_handling: {
    run: () => ({
      ...text("This tool intentionally returns an error for testing"),
      isError: true,
    }),
  },
  test_streaming_elicitation: asking("user_name", NAME),
  test_missing_capability: {
    run({ context }) {
      const capabilities = clientCapabilities(context);
      if (capabilities.sampling !== undefined) return text("Sampling is there");
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    },
  },
  test_trigger_tool_change: {
    run({ changed }) {
      changed("tools");
      return text("Told");
    },
  },
  test_trigger_prompt_change: {
    run({ changed }) {
      changed("prompts");
      return text("Told");
    },
  },
  test_input_required_result_elicitation: asking("user_name", NAME),
  test_input_required_result_sampling: asking(
    "capital_question",
    question("What is the capital of France?", 100),
  ),
  test_input_required_result_list_roots: asking("client_roots", inputRequired.listRoots()),
  test_input_required_result_request_state: askingSealed({ confirm: CONFIRM }),
  test_input_required_result_tampered_state: askingSealed({ confirm: CONFIRM }),
  test_input_required_result_multiple_inputs: askingSealed({
    user_name: NAME,
    greeting: question("Generate a greeting", 50),
    client_roots: inputRequired.listRoots(),
  }),
  test_input_required_result_multi_round: {
    async run({ context, mint }) {
      const step = context.mcpReq.requestState();
      if (step === "round-2" && responseTo(context, "step2") !== null) return text("Both given");
      if (step === "round-1" && responseTo(context, "step1") !== null) {
        const requestedSchema = stringField("color");
        const step2 = inputRequired.elicit({
          message: "Step 2: What is your favorite color?",
          requestedSchema,
        });
        return inputRequired({ inputRequests: { step2 }, requestState: await mint("round-2") });
      }
      const requestedSchema = stringField("name");
      const step1 = inputRequired.elicit({
        message: "Step 1: What is your name?",
        requestedSchema,
      });
      return inputRequired({ inputRequests: { step1 }, requestState: await mint("round-1") });
    },
  },
  test_input_required_result_capabilities: {
    run({ context }) {
      const capabilities = clientCapabilities(context);
      return inputRequired({
        inputRequests: {
          ...(capabilities.elicitation !== undefined && { user_name: NAME }),
          ...(capabilities.sampling !== undefined && { answer: question("Hello?", 50) }),
        },
      });
    },
  },
};
