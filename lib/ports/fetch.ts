/**
 * HTTP, injected: what `globalThis.fetch` is, for addresses given as text.
 *
 * The adapters' implementations go through the proxy that the environment names, and trust the
 * machine's certificates besides the runtime's own. A request with `Accept-Encoding: identity` gets
 * the body as it was sent, also from a server that calls it compressed: archives are, and some servers
 * name that as a coding. An interim answer is none: the final one is waited for (DEV-35). A request
 * that got no answer is thrown as `FetchError` (lib/core); an aborted one as the signal's reason.
 */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
