/** Whether a URL is of this machine, so that what is sent there stays here. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.endsWith(".localhost") ||
    /^127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/.test(hostname);
}
