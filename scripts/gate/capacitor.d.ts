/** The part of `@capacitor/core` that native/src uses; only an app installs that package. */
declare module "@capacitor/core" {
  /** Makes the proxy of a plugin, and what stands in for it in a browser. */
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
