// Hooks of the tests that Deno leaves out: a plugin of `deno lint`, which the gate runs over
// `tests/` together with that of waits.

/** The file that may import it. */
const OWNER = "tests/support/after-tests.ts";
const MESSAGE = "Found after() of node:test, which Deno leaves out where a test of the file is " +
  `skipped or fails: what is shared by the file ends by afterTests() of ${OWNER}, what one test ` +
  "has made by t.after()";

const ALL = "Found an import of all of node:test, which has after(): import the functions by name";

/** A node of the syntax tree; only the members that are looked at. */
interface Node {
  readonly name?: unknown;
  readonly value?: unknown;
  readonly imported?: Node;
  readonly local?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly source?: Node;
  readonly parent?: Node | null;
}
interface LintContext {
  readonly filename: string;
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** Looks at what a file imports from `node:test`, and at what it takes of `test` itself. */
function create(context: LintContext): Readonly<Record<string, (node: Node) => void>> {
  if (context.filename.replaceAll("\\", "/").endsWith(`/${OWNER}`)) return {};
  const report = (node: Node) => context.report({ node, message: MESSAGE });
  const isOfTests = ({ parent }: Node) => parent?.source?.value === "node:test";
  const checkAll = (node: Node) => {
    if (isOfTests(node)) context.report({ node, message: ALL });
  };
  return {
    ImportSpecifier(node) {
      if (node.imported?.name === "after" && isOfTests(node)) report(node);
    },
    ExportSpecifier(node) {
      if (node.local?.name === "after" && isOfTests(node)) report(node);
    },
    MemberExpression(node) {
      if (node.object?.name === "test" && node.property?.name === "after") report(node);
    },
    ImportDefaultSpecifier: checkAll,
    ImportNamespaceSpecifier: checkAll,
  };
}

/** The plugin, as `deno lint` loads it. */
export default { name: "slipway-hooks", rules: { after: { create } } };
