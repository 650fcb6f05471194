// Waits of the tests that poll without a deadline, or sleep for a fixed time: a plugin of `deno
// lint`, which the gate runs over `tests/`. Tests wait with `until` of tests/support/until.ts.

/** A file whose waits are not those of a test, with the reason. The list may only shrink. */
export interface Exception {
  readonly file: string;
  /** The number of its waits. */
  readonly waits: number;
  readonly reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  { file: "tests/support/until.ts", waits: 1, reason: "the one wait of the tests" },
  { file: "tests/support/hostile-server.ts", waits: 2, reason: "the slow server is the subject" },
  { file: "tests/ota/range-server.ts", waits: 2, reason: "the slow server is the subject" },
  { file: "tests/ota/synced-contents.test.ts", waits: 1, reason: "the slow disk is the subject" },
  { file: "tests/ota/pace.test.ts", waits: 1, reason: "its clock is moved by the test" },
  { file: "tests/contract/fetch.test.ts", waits: 1, reason: "the slow reader is the subject" },
  { file: "tests/contract/clock.test.ts", waits: 3, reason: "the timer is the subject" },
  {
    file: "tests/contract/web-sockets.test.ts",
    waits: 1,
    reason: "the idle time is the subject, and runtimes do not report their pings",
  },
  {
    file: "tests/conformance/fixture-tools.ts",
    waits: 3,
    reason: "the conformance suite asks for pauses between messages",
  },
  {
    file: "tests/page/foreign-page.tsx",
    waits: 1,
    reason: "the deadline of an attack of which no event reports the end",
  },
];

/** Functions that are a timer, as an identifier or as a method. */
const TIMERS = new Set(["setTimeout", "sleep", "wait", "delay", "waitForTimeout"]);
/** The shortest sleep that is more than a turn of the event loop, in milliseconds. */
const SLEEP_MS = 20;

const INSTEAD = "wait with until(what, condition) of tests/support/until.ts";
const POLL = `Found a loop that awaits a timer and has no deadline of its own: ${INSTEAD}`;
const SLEEP = `Found a sleep of ${SLEEP_MS} ms or more, which fits no machine: ${INSTEAD}`;

/** A node of the syntax tree; only the members that are looked at. */
interface Node {
  readonly type?: string;
  readonly name?: unknown;
  readonly value?: unknown;
  readonly raw?: unknown;
  readonly cooked?: unknown;
  readonly id?: Node | null;
  readonly init?: Node | null;
  readonly callee?: Node;
  readonly object?: Node;
  readonly property?: Node;
  readonly imported?: Node;
  readonly local?: Node;
  readonly body?: Node | readonly Node[];
  readonly arguments?: readonly Node[];
  readonly parent?: Node | null;
}
interface LintContext {
  readonly filename: string;
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** An awaited call, with whether a loop awaits it. */
interface Wait {
  readonly node: Node;
  readonly name: string;
  readonly isInLoop: boolean;
}

/** Finds the problems of a script that a test runs elsewhere: in a page or in another process. */
export function waitsOfText(text: string): readonly string[] {
  const timer = /\bawait\b[^;]*?\b(?:setTimeout|waitForTimeout)\b[^;]*/.exec(text)?.[0];
  if (timer === undefined) return [];
  if (/\b(?:while|for|do)\b\s*[({][^]*?\bawait\b[^;]*?\bsetTimeout\b/.test(text)) return [POLL];
  const ms = Number(/,\s*(\d[\d_]*)\)/.exec(timer)?.[1]?.replaceAll("_", "") ?? 0);
  return ms >= SLEEP_MS ? [SLEEP] : [];
}

/** The name of a called function or method. */
function calledName({ callee }: Node): string {
  const name = callee?.type === "MemberExpression" ? callee.property?.name : callee?.name;
  return typeof name === "string" ? name : "";
}

const isFunction = ({ type = "" }: Node) => /Function/.test(type);
const isLoop = ({ type = "" }: Node) => /^(?:While|DoWhile|For|ForOf|ForIn)Statement$/.test(type);

/** Returns the number of a literal, or `NaN`; its `value` is wrong if it has separators. */
function numberOf({ raw }: Node): number {
  return typeof raw === "string" ? Number(raw.replaceAll("_", "")) : NaN;
}

/** The nodes around a node, from the inside. */
function* around(node: Node): Generator<Node> {
  for (let at = node.parent; at; at = at.parent) yield at;
}

/** Whether a function is the executor of a promise, and so belongs to the expression around it. */
function isExecutor({ parent }: Node): boolean {
  return parent?.type === "NewExpression" && parent.callee?.name === "Promise";
}

/** Whether a call races others: a timer among them is their deadline. */
function isRace(node: Node): boolean {
  return node.type === "CallExpression" && calledName(node) === "race";
}

/** The `await` of a call, or the function that returns the call's promise, or `null`. */
function whereAwaited(call: Node): Node | null {
  for (const at of around(call)) {
    if (isRace(at)) return null;
    if (at.type === "AwaitExpression") return at;
    if (isFunction(at) && !isExecutor(at)) return at;
  }
  return null;
}

/**
 * Returns whether a function is a single expression that is a timer, which makes the function a
 * timer, too.
 */
function isTimerFunction({ body }: Node): boolean {
  if (body === undefined || !("type" in body)) return false;
  if (body.type !== "BlockStatement") return true;
  const [only, ...others] = Array.isArray(body.body) ? body.body : [];
  return others.length === 0 && /^(?:Return|Expression)Statement$/.test(only?.type ?? "");
}

/** Whether a node is in a loop of its own function. */
function isInLoop(node: Node): boolean {
  for (const at of around(node)) {
    if (isFunction(at)) return false;
    if (isLoop(at)) return true;
  }
  return false;
}

/** The waits of one file. */
class Waits {
  readonly #timers = new Set(TIMERS);
  readonly #constants = new Map<unknown, number>();
  readonly #awaited: Wait[] = [];
  readonly #texts: { readonly node: Node; readonly message: string }[] = [];

  /** Takes an import of a timer by another name. */
  rename({ imported, local }: Node): void {
    if (imported?.name === "setTimeout" && typeof local?.name === "string") {
      this.#timers.add(local.name);
    }
  }

  /** Takes a constant. */
  declare({ id, init }: Node): void {
    if (init && typeof id?.name === "string") this.#constants.set(id.name, numberOf(init));
  }

  /** Takes a call. */
  call(node: Node): void {
    const name = calledName(node);
    const where = whereAwaited(node);
    if (name === "" || where === null) return;
    const isAwait = where.type === "AwaitExpression";
    if (isAwait) this.#awaited.push({ node, name, isInLoop: isInLoop(where) });
    const user = isAwait ? [...around(where)].find(isFunction) : where;
    const own = user?.id?.name ?? user?.parent?.id?.name;
    if (user === undefined || !isTimerFunction(user) || typeof own !== "string") return;
    if (this.#timers.has(name)) this.#timers.add(own);
  }

  /** Takes a text, which may be a script. */
  text(node: Node, text: unknown): void {
    if (typeof text !== "string") return;
    for (const message of waitsOfText(text)) this.#texts.push({ node, message });
  }

  /** The problems, once all of the file was taken. */
  problems(): readonly { readonly node: Node; readonly message: string }[] {
    const waits = this.#awaited.filter(({ name }) => this.#timers.has(name));
    const found = waits.flatMap(({ node, isInLoop }) =>
      isInLoop ? [{ node, message: POLL }] : this.#isSleep(node) ? [{ node, message: SLEEP }] : []
    );
    return [...found, ...this.#texts];
  }

  #isSleep(call: Node): boolean {
    return call.arguments?.some((one) =>
      (this.#constants.get(one.name) ?? numberOf(one)) >= SLEEP_MS
    ) ?? false;
  }
}

/** Looks at calls and texts, and reports at the end of a file. */
function create(context: LintContext): Readonly<Record<string, (node: Node) => void>> {
  const waits = new Waits();
  const path = context.filename.replaceAll("\\", "/");
  const allowed = EXCEPTIONS.find(({ file }) => path.endsWith(`/${file}`))?.waits ?? 0;
  return {
    ImportSpecifier: (node) => waits.rename(node),
    VariableDeclarator: (node) => waits.declare(node),
    CallExpression: (node) => waits.call(node),
    Literal: (node) => waits.text(node, node.value),
    TemplateElement: (node) => waits.text(node, node.cooked),
    "Program:exit"(node) {
      const found = waits.problems();
      if (found.length > allowed) { for (const problem of found) context.report(problem); }
      if (found.length < allowed) {
        const message = `Found ${found.length} waits, expected ${allowed}: lower EXCEPTIONS`;
        context.report({ node, message: `${message} of scripts/gate/waits.ts` });
      }
    },
  };
}

/** The plugin, as `deno lint` loads it. */
export default { name: "slipway-tests", rules: { waits: { create } } };
