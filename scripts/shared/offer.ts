import { type Offer, offerTools } from "../../lib/agent/mod.ts";
import { printFailure } from "./cli.ts";
import type { CommandLine } from "./command-line.ts";

/** The tools that a command line offers. @returns The exit code if it names unknown toolsets. */
export function offerFrom({ values, switches }: CommandLine): Offer | number {
  const readOnly = switches["read-only"] === true;
  const offer = offerTools({ toolsets: values["toolsets"], readOnly });
  if (offer.ok) return offer.value;
  const { detail, hint } = offer.error;
  return printFailure({ code: "usage", message: detail, next: hint });
}
