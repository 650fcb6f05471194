/** HTTP, injected: what `globalThis.fetch` is, for addresses given as text. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;
