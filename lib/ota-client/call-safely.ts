/** Calls back into the app, whose own mistake may not stop the update that would mend it. */
export function callSafely(call: () => void): void {
  try {
    call();
  } catch {
    // the app's own fault, already visible to it
  }
}
