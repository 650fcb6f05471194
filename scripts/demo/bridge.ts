/**
 * Returns the script that an app puts into every page of its web view: Capacitor's bridge, as far
 * as a game's runtime uses it, with the device behind the page's own server. Like Capacitor's, it
 * reports console output to the app.
 *
 * @param launch Number of the launch, to which messages of an older page still belong.
 */
export function bridgeScript(launch: number): string {
  return `const ask = async (method, request) => {
  const body = JSON.stringify({ launch: ${launch}, method, request: request ?? null });
  const answer = await fetch("./native", { method: "POST", body });
  const { value, error } = await answer.json();
  if (error !== undefined) throw new Error(error);
  return value;
};
globalThis.Capacitor = {
  PluginHeaders: [{ name: "SlipwayOta" }],
  nativePromise: (plugin, method, request) => ask(method, request),
  addListener: () => ({ remove: () => Promise.resolve() }),
};
const textOf = (said) => typeof said === "string" ? said : JSON.stringify(said) ?? String(said);
for (const level of ["info", "error"]) {
  const write = console[level].bind(console);
  console[level] = (...said) => {
    write(...said);
    ask("console", { level, said: said.map(textOf) }).catch(() => undefined);
  };
}
`;
}
