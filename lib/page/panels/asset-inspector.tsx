import { useEffect, useState } from "preact/hooks";
import { assetByName, assetsStamp } from "../model/assets.ts";
import { call } from "../wire/service.ts";

/** A selected asset: its facts and its settings. */
export function AssetInspector({ path }: { readonly path: string }) {
  const asset = assetByName.value.get(path);
  const stamp = assetsStamp.value;
  const [facts, setFacts] = useState<Readonly<Record<string, unknown>>>({});
  useEffect(() => {
    let isOld = false;
    void call("get_asset", { asset: path }).then((answer) => {
      if (!isOld) setFacts(answer.ok ? answer.value : { problem: answer.error.detail });
    });
    return () => isOld = true;
  }, [path, stamp]);
  return (
    <section class="panel inspector" aria-label="Inspector">
      <div class="scroll">
        <header class="entity">
          <h2 class="cut">{asset?.name ?? path}</h2>
        </header>
        <p class="dim ids">{path}</p>
        <dl class="facts">
          {Object.entries(facts).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === "object" ? JSON.stringify(value, null, 1) : String(value)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
