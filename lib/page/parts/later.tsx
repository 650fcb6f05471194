import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { say } from "../model/notices.ts";

/** Creates a component whose script loads when it is first shown. */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let Loaded: FunctionComponent<Props> | null = null;
  return function Later(props) {
    const [, setLoaded] = useState(false);
    useEffect(() => {
      if (Loaded !== null) return;
      load().then((Shown) => {
        Loaded = Shown;
        setLoaded(true);
      }, () => say("error", "A part of the page did not load", "Is Slipway running?"));
    }, []);
    return Loaded === null ? <p class="empty dim">Loading…</p> : <Loaded {...props} />;
  };
}
