// Hooks of the tests that Deno leaves out: a plugin of `deno lint`, which the gate runs over
// `tests/` together with that of waits.

/** The file that may import it. */
const OWNER = "tests/support/after-tests.ts";
const MESSAGE = "Found after() of node:test, which Deno leaves out where a test of the file is " +
  `skipped or fails: what is shared by the file ends by afterTests() of ${OWNER}, what one test ` +
  "has made by t.after()";

/** A node of the syntax tree; only the members that are looked at. */
interface Node {
  readonly name?: unknown;
  readonly value?: unknown;
  readonly imported?: Node;
  readonly source?: Node;
  readonly parent?: Node | null;
}
interface LintContext {
  readonly filename: string;
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** Looks at what a file imports. */
function create(context: LintContext): Readonly<Record<string, (node: Node) => void>> {
  if (context.filename.replaceAll("\\", "/").endsWith(`/${OWNER}`)) return {};
  return {
    ImportSpecifier(node) {
      if (node.imported?.name !== "after" || node.parent?.source?.value !== "node:test") return;
      context.report({ node, message: MESSAGE });
    },
  };
}

/** The plugin, as `deno lint` loads it. */
export default { name: "slipway-hooks", rules: { after: { create } } };
