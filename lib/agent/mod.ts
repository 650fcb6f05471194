/**
 * The tools that agents call. The MCP server that offers them is `mcp.ts`; its types are the SDK's.
 *
 * @module
 */
export { type Narrowing, PAYLOAD_CAP } from "./answer/budget.ts";
export type { Instance } from "./answer/identity.ts";
export type {
  JobRegistry,
  Services,
  ToolchainProducer,
  ToolchainToggle,
} from "./declaration/services.ts";
export { type Offer, type OfferLimits, offerTools } from "./offer.ts";
export type {
  CallContext,
  ParameterInfo,
  PreparedCall,
  RouteKind,
  Summary,
  Tool,
  ToolAnnotations,
} from "./declaration/tool.ts";
export { TOOLS, TOOLSETS } from "./tools.ts";
export type { Toolset } from "./declaration/toolsets.ts";
