/**
 * HTTP, injected: like `globalThis.fetch`, for addresses given as text.
 *
 * The adapters' implementations use the environment's proxy, and trust the machine's certificates
 * in addition to the runtime's own. A request with `Accept-Encoding: identity` gets the body as it
 * was sent, even from a server that names a coding for it: some servers name an archive's
 * compression as one. Interim answers are skipped until the final one (DEV-35). A request without
 * an answer throws `FetchError` (lib/core); an aborted one the signal's reason.
 */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
