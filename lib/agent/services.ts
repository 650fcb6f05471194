import type { Editor } from "../editor/ports.ts";

/** The part of a toolchain that agents see: its status, probed anew at every call (spec §4.1). */
export interface ToolchainProducer {
  /** Everything about the toolchain, as JSON. */
  status(): Promise<object>;
}

/** What the tools work on. */
export interface Services {
  /** The editor with the open project. */
  readonly editor: Editor;
  /** Absent where the host has none; the toolchain tools then answer 503. */
  readonly toolchain?: ToolchainProducer | undefined;
}
