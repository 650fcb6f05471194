// The viewport of the editor's page alone, with what tests ask it: bundled for the browser. Typed as
// pages are, which no runtime's types allow: hence its ending.
import { render } from "preact";
import { follow } from "../../lib/page/model/following.ts";
import { posed } from "../../lib/page/model/pose.ts";
import { picture } from "../../lib/page/viewport/picture.ts";
import { ViewportPanel } from "../../lib/page/viewport/viewport.tsx";

render(<ViewportPanel />, document.body);
void follow();
Object.assign(globalThis, {
  viewport: {
    posed,
    get view() {
      return picture.value.kind === "open" ? picture.value.view : null;
    },
  },
});
