// Functions that do not fit on a few screens: a plugin of `deno lint`, which the gate runs over the
// shipped sources.

import { LONG_FUNCTIONS, type LongFunction } from "./exceptions.ts";

/** The largest number of lines of a function, with its signature. */
export const MAX_LINES = 120;

/** The members of a syntax tree node that are used. */
interface Node {
  readonly type?: string;
  readonly name?: unknown;
  readonly range?: readonly [number, number];
  readonly id?: Node | null;
  readonly key?: Node;
  readonly parent?: Node | null;
}
interface LintContext {
  readonly filename: string;
  readonly sourceCode: { readonly text: string };
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** The name of a function: its own, or that of the variable or member that holds it. */
function functionName({ id, parent }: Node): string {
  const name = id?.name ?? parent?.id?.name ?? parent?.key?.name;
  return typeof name === "string" ? name : "a function";
}

/** Creates the rule with a list of exceptions. */
export function lengthsRule(exceptions: readonly LongFunction[]) {
  return {
    create(context: LintContext): Readonly<Record<string, (node: Node) => void>> {
      const path = context.filename.replaceAll("\\", "/");
      const excepted = new Set(
        exceptions.filter(({ file }) => path.endsWith(`/${file}`)).map(({ name }) => name),
      );
      const unneeded = new Set(excepted);
      const check = (node: Node) => {
        const [start, end] = node.range ?? [0, 0];
        const lines = context.sourceCode.text.slice(start, end).split("\n").length;
        if (lines <= MAX_LINES) return;
        const name = functionName(node);
        unneeded.delete(name);
        if (excepted.has(name)) return;
        const message = `${name} has ${lines} lines, expected at most ${MAX_LINES}: divide it`;
        context.report({ node, message });
      };
      return {
        FunctionDeclaration: check,
        FunctionExpression: check,
        ArrowFunctionExpression: check,
        "Program:exit"(node) {
          for (const name of unneeded) {
            const message = `Found no ${name} of more than ${MAX_LINES} lines: remove it from`;
            const list = "LONG_FUNCTIONS of scripts/gate/exceptions.ts";
            context.report({ node, message: `${message} ${list}` });
          }
        },
      };
    },
  };
}

/** The plugin, as `deno lint` loads it. */
export default { name: "slipway-lengths", rules: { lengths: lengthsRule(LONG_FUNCTIONS) } };
