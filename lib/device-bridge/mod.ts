/**
 * The bridge between an app's web view and the editor of its developers: for builds that no player gets.
 *
 * @module
 */
export { type BridgeOptions, type DeviceBridge, startBridge } from "./bridge.ts";
export {
  isNonce,
  keyOf,
  type Meeting,
  newNonce,
  proofOf,
  type Randomness,
  readCode,
  sameText,
} from "./pairing.ts";
export {
  type AppMessage,
  BRIDGE_PATH,
  type BridgeAnswer,
  type BridgeAsk,
  type BridgeRefusal,
  type ConsoleLine,
  type EditorMessage,
  LOG_LEVELS,
  type LogLevel,
  MAX_BRIDGE_BYTES,
  MAX_LOG_ENTRIES,
  MAX_LOG_TEXT,
  type PagePoint,
  type PageScreen,
  readAppMessage,
} from "./protocol.ts";
