/** The part of `@capacitor/core` that native/src uses; only an app installs that package. */
declare module "@capacitor/core" {
  /** Creates the proxy of a plugin, and its substitute in a browser. */
  export function registerPlugin<T>(
    name: string,
    implementations: { readonly web: () => Promise<T> },
  ): T;

  /** A plugin in a browser. */
  export class WebPlugin {
    addListener(
      event: string,
      listener: (...args: never[]) => unknown,
    ): Promise<{ remove(): Promise<void> }>;
    unavailable(message: string): Error;
  }
}
