/** What native/src uses of `@capacitor/core`, which only an app installs. */
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
