/**
 * Makes the browser store the game for offline use where possible: over HTTPS and on this machine.
 * An app contains all of it anyway.
 */
export async function keepOffline(): Promise<void> {
  if (!("serviceWorker" in navigator) || !/^https?:$/.test(location.protocol)) return;
  try {
    await navigator.serviceWorker.register(new URL("./offline.js", document.baseURI));
  } catch (thrown) {
    console.info(`The game cannot be stored for offline use: ${String(thrown)}`);
  }
}
