/**
 * Spellings of an address that a file may hold in place of the name of a file: as a page of the service
 * at `origin` would resolve them, most lead to `route`.
 *
 * @param route Without a slash at its start.
 */
export function namedAddresses(origin: string, route: string): Readonly<Record<string, string>> {
  const { host, port } = new URL(origin);
  return {
    "a path from the root": `/${route}`,
    "a path that climbs": `../${route}`,
    "a path that climbs from here": `./../${route}`,
    "a path that climbs out": `../../../../../../${route}`,
    "a host": `//${host}/${route}`,
    "an address": `${origin}/${route}`,
    "an address in capitals": `${origin.replace("http:", "HTTP:")}/${route}`,
    "another name of this machine": `http://localhost:${port}/${route}`,
    "a scheme without a host": `http:/${route}`,
    "a scheme and a path from here": `http:${route}`,
    "a backslash": `\\${route}`,
    "backslashes for a host": `\\\\${host}\\${route}`,
    "a coded slash": `%2f${route}`,
    "a coded backslash": `%5c${route}`,
    "coded dots": `%2e%2e/${route}`,
    "coded dots and slashes": `%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f${route}`,
    "a slash that is coded twice": `%252f${route}`,
    "a leading blank": ` /${route}`,
    "a leading control character": `\u0000/${route}`,
    "a leading tab": `\t/${route}`,
    "a tab inside": `/a\tpi${route.slice("api".length)}`,
    "a line break inside": `/a\npi${route.slice("api".length)}`,
    "line breaks in a scheme": `ht\ntp://${host}/${route}`,
    "a trailing blank": `/${route} `,
    "a tail with a fragment": `/${route}#box.png`,
    "a tail with a query": `/${route}&by=box.png`,
    "a file that is there, and a query": `box.png?/../../../${route}`,
    "a file that is there, and a fragment": `box.png#/../../../${route}`,
    "a file that is there as a folder": `box.png/../../../../../${route}`,
    "blob: of another origin": "blob:https://other.invalid/00000000-0000-4000-8000-000000000000",
    "blob: around an address": `blob:${origin}/${route}`,
    "blob: in capitals": `BLOB:${origin}/${route}`,
    "javascript:": `javascript:fetch("/${route}")`,
    "file:": `file:///${route}`,
    "a blank before data:": " data:,",
    "view-source:": `view-source:${origin}/${route}`,
    "a drive": `C:/${route}`,
    "a wide slash": `\uff0f${route}`,
    "a stray percent sign": `/${route}%`,
    "a lone surrogate": `/${route}\ud800`,
    "nothing": "",
    "a dot": ".",
    "dots": "..",
    "a hidden file": ".env",
    "a file that is not listed": "notes.txt",
  };
}
