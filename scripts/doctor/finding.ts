import type { FindingOf } from "../../lib/core/finding.ts";

/** Something that keeps an app from updating (`error`), or surprises a person (`warning`). */
export type Finding = FindingOf<FindingCode>;

/** Kinds of findings. */
export type FindingCode =
  | "no-app"
  | "no-platform"
  | "plugin"
  | "sync"
  | "system"
  | "hook"
  | "internet"
  | "privacy"
  | "embedded"
  | "web-assets"
  | "configuration"
  | "public-key"
  | "client"
  | "live-reload"
  | "order"
  | "recommended"
  | "splash"
  | "service-worker";
