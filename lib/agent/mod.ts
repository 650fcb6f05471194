/**
 * The tools that agents call. The MCP server that offers them is `mcp.ts`; its types are the SDK's.
 *
 * @module
 */
export { type Narrowing, PAYLOAD_CAP } from "./budget.ts";
export type { JobDesk, Services, ToolchainProducer } from "./services.ts";
export type { Door, ParameterInfo, PreparedCall, Summary, Tool, ToolAnnotations } from "./tool.ts";
export { TOOLS } from "./tools.ts";
