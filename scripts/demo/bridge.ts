/**
 * What an app puts into every page of its web view: Capacitor's bridge, as far as the runtime of a
 * game uses it, with the device behind the page's own server. As Capacitor's own does, it tells the
 * app what the page writes to its console.
 *
 * @param launch The number of the launch: what an older page still says is of its own launch.
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
