/**
 * Calls back into the app and catches its errors: they must not stop the update that could fix
 * them.
 */
export function callSafely(call: () => void): void {
  try {
    call();
  } catch {
    // the app's own fault, already visible to it
  }
}
