/**
 * Has the browser keep the game for when there is no network, where it can: over HTTPS, and on this
 * machine. An app has all of it anyway.
 */
export async function keepOffline(): Promise<void> {
  if (!("serviceWorker" in navigator) || !/^https?:$/.test(location.protocol)) return;
  try {
    await navigator.serviceWorker.register(new URL("./offline.js", document.baseURI));
  } catch (thrown) {
    console.info(`The game is not kept for when there is no network: ${String(thrown)}`);
  }
}
