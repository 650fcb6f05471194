/**
 * The tools that agents call. The MCP server that offers them is `mcp.ts`; its types are the SDK's.
 *
 * @module
 */
export {
  type BudgetOptions,
  type Narrowing,
  type Payload,
  PAYLOAD_CAP,
  toPayload,
} from "./answer/budget.ts";
export { wholeJson } from "./answer/compact-json.ts";
export { bannerOf, type Instance } from "./answer/identity.ts";
export {
  CALLER_HEADER,
  checkInstance,
  CONNECTION_QUERY,
  connectionCaller,
  connectionCap,
  connectionReadsOnly,
  connectionToolsets,
} from "./connection.ts";
export {
  type Answer,
  answerCancelled,
  type CallOptions,
  callTool,
  problemAnswer,
} from "./declaration/call.ts";
export { type EditorPart, editorPart, type ServicePart, servicePart } from "./declaration/parts.ts";
export type {
  JobRegistry,
  Services,
  ToolchainProducer,
  ToolchainToggle,
} from "./declaration/services.ts";
export { withProject } from "./tools/toolchain.ts";
export { refuseUnknown } from "./declaration/arguments.ts";
export { namedTool } from "./declaration/named-tool.ts";
export {
  type Attachment,
  type CallContext,
  type ParameterInfo,
  type PreparedCall,
  type RouteKind,
  type Summary,
  type Tool,
  type ToolAnnotations,
} from "./declaration/tool.ts";
export { chooseToolsets, type Toolset } from "./declaration/toolsets.ts";
export { type Offer, type OfferLimits, offerTools } from "./offer.ts";
export { META_TOOLS, TOOLS, TOOLSETS } from "./tools.ts";
// Types of other areas that these mention.
export type { Work } from "../core/cooperative.ts";
export type { JobEvent } from "../core/job-log.ts";
export {
  type JobAuthor,
  type JobContext,
  type JobOverview,
  type JobProgress,
  Jobs,
  type JobSnapshot,
  type JobsOptions,
  type JobStart,
  type JobWork,
} from "../core/jobs.ts";
export type { JsonObject, JsonValue } from "../core/json.ts";
export type { Problem, ProblemStatus } from "../core/problem.ts";
export type { Err, Ok, Result } from "../core/result.ts";
export type { Sequenced } from "../core/ring.ts";
export type { Clock } from "../ports/clock.ts";
