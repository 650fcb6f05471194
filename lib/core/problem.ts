import type { JsonObject } from "./json.ts";
import { type Err, err, messageOf } from "./result.ts";

// A problem reports a refusal or fault to callers outside the process: RFC 9457 members plus `code`
// (stable, for programs) and `hint` (the next step, for people and agents).

const TITLES: Readonly<Record<ProblemStatus, string>> = {
  400: "Bad parameter",
  401: "Not authenticated",
  403: "Not allowed",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  413: "Too large",
  422: "Cannot be done as asked",
  500: "Fault",
  503: "A part is missing",
};

/** The statuses in use (HTTP-6). */
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 422 | 500 | 503;

/** A negative answer with its reason: `application/problem+json` (RFC 9457). */
export interface Problem {
  /** A URI of the code (RFC 9457 §3.1.1). */
  readonly type: string;
  /** The status in words. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: ProblemStatus;
  /** Finding and expectation, in one sentence. */
  readonly detail: string;
  /** The kind of problem, for programs. */
  readonly code: string;
  /** Next step. */
  readonly hint: string;
  /** Sent in place of the members above, for a refusal with a form of its own (SCENE-9). */
  readonly body?: JsonObject;
}

/** Builds a problem. `detail` says what was found and expected, `hint` what to do next. */
export function problem(
  status: ProblemStatus,
  code: string,
  detail: string,
  hint: string,
): Problem {
  return { type: `urn:slipway:problem:${code}`, title: TITLES[status], status, detail, code, hint };
}

/** {@linkcode problem}, wrapped as a failure. */
export function refuse(
  status: ProblemStatus,
  code: string,
  detail: string,
  hint: string,
): Err<Problem> {
  return err(problem(status, code, detail, hint));
}

/** The problem of a bug: something threw that should not have. */
export function fault(thrown: unknown): Problem {
  return problem(
    500,
    "fault",
    `Something broke: ${messageOf(thrown)}`,
    "This is a bug; report it with the call that led here",
  );
}
