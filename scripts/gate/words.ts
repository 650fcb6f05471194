// Words that a reader of the field would have to translate, with the field's word: a plugin of
// `deno lint`, which the gate runs over all sources. It checks names, messages and comments; of
// tests the names alone. A word is listed only if it has no plain meaning in this code. Marks of
// comments that are sometimes right are counted by marks.ts.

/** Words of names, in lower case: `sceneDesk` has the word `desk`. */
const IN_NAMES: Readonly<Record<string, string>> = {
  anew: "again, or reinstall",
  barren: "without progress",
  desk: "session or registry",
  doomed: "to be pruned",
  glance: "check, or reload if changed",
  heir: "successor",
  litter: "leftovers",
  misfit: "mismatch",
  patience: "timeout",
  standing: "state",
  wish: "request",
};

/** Names that are a participle or a clause. As keys of data they may be what others have written. */
const NAMES: Readonly<Record<string, string>> = {
  atOnce: "a verb: what it does if it is late",
  goesOn: "isContinued, or resumes",
  having: "withTrait, or another noun",
  isThere: "exists",
  lookAgain: "recheck",
  mayPass: "isTransient",
  movesOf: "placeVersion",
  shiftsOf: "positionVersion",
  shownAs: "snapshotOf",
  sought: "scrollTarget, or query",
  takeMoved: "drainMoved",
  takenOutTo: "selectionAfterDeselect",
  told: "reported, or lastSeen",
  tryOn: "preview",
  wanted: "query, requested or expected",
  whole: "complete, intact or integer",
};

/** Phrases of comments that are never right. */
const IN_COMMENTS: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/^\*\s*(?:What|Who|Whose|Where|As|So|At least so|Of what)\b/, "begin with a verb or a noun"],
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)/i, "is not a"],
  [/(?<!\bthere )\b(?:is|are|was|were) none\b/i, "is missing, or invalid"],
  [/\banew\b/i, "again"],
  [/\b(?:by|for) now\b|\bfrom now on\b/i, "leave it out"],
  [/\banother than\b/i, "different from"],
  [/\bso many\b/i, "that many, or the number's name"],
  [/\bgoes on\b/i, "continues"],
  [/\bbegun\b/i, "started"],
  [/\bgives? up\b/i, "aborts, cancels or times out"],
  [/\blets? go of\b/i, "releases"],
  [/\btakes? out of\b/i, "removes from"],
  [/\btakes? along\b/i, "moves with"],
  [/\bhands on\b/i, "forwards"],
];

/** Phrases of comments that are seldom right: counted, and fewer from change to change. */
const COUNTED =
  /\b(?:tells?|told|nobody|somebody|whoever|whom|who|stands?|stood|lies|lay|lying|beside|meanwhile)\b|\bby (?:itself|themselves)\b/gi;

/** Phrases of messages. */
const IN_MESSAGES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b)/i, "is not a"],
  [/(?<!\bthere )\b(?:is|are) none\b/i, "is missing, or invalid"],
  [/\bwas given up\b/, "was cancelled"],
  [/\banew\b/, "again"],
  [/\bof no use\b/, "invalid, or does not work"],
  [/\bmends?\b|\bmended\b/, "fix or repair"],
  [/(?<!\.)\bheirs?\b/, "successor"], // not the ending of a file, which stays as it is on disks
  [/\bhave it done\b/, "finish it"],
];

/** Returns the field's terms for a name's words; empty for a good name. */
export function wordsOfName(name: string): readonly string[] {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split(/[^a-z]+/)
    .flatMap((word) => Object.hasOwn(IN_NAMES, word) ? [`"${word}": ${IN_NAMES[word]}`] : []);
}

/** Returns the field's terms for a message's phrases; empty for a good message. */
export function phrasesOf(text: string): readonly string[] {
  return findPhrases(IN_MESSAGES, text);
}

/** Returns the field's terms for the phrases of a comment that are never right. */
export function phrasesOfComment(text: string): readonly string[] {
  return findPhrases(IN_COMMENTS, text.replaceAll(/\s*\n\s*\*?\s*/g, " "));
}

/** Returns the words of a comment that are seldom right. */
export function marksOfComment(text: string): readonly string[] {
  return text.match(COUNTED) ?? [];
}

function findPhrases(
  phrases: readonly (readonly [phrase: RegExp, instead: string])[],
  text: string,
): readonly string[] {
  return phrases.flatMap(([phrase, instead]) => {
    const found = phrase.exec(text)?.[0].trim();
    return found === undefined ? [] : [`"${found}": ${instead}`];
  });
}

/** The members of a syntax tree node that are used. */
interface Node {
  readonly name?: unknown;
  readonly value?: unknown;
  readonly cooked?: unknown;
  readonly key?: Node | undefined;
  readonly property?: Node | undefined;
  readonly parent?: Node | undefined;
}
interface LintContext {
  readonly filename: string;
  readonly sourceCode: { getAllComments(): readonly Node[] };
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** Whether a name is a key of data or of a type, or a member that is read. */
function isKey({ name, parent }: Node): boolean {
  if (parent?.property?.name === name) return true;
  const value = parent?.value;
  const isShorthand = typeof value === "object" && value !== null && "name" in value &&
    value.name === name;
  return parent?.key?.name === name && !isShorthand;
}

/** Looks at names, texts and comments. */
function create(context: LintContext): Readonly<Record<string, (node: Node) => void>> {
  const check = (node: Node, text: unknown, find: (text: string) => readonly string[]) => {
    if (typeof text !== "string") return;
    for (const message of find(text)) context.report({ node, message });
  };
  const checkName = (node: Node) => {
    if (typeof node.name !== "string" || !Object.hasOwn(NAMES, node.name) || isKey(node)) return;
    context.report({ node, message: `"${node.name}": ${NAMES[node.name]}` });
  };
  if (isTest(context)) return { Identifier: checkName };
  return {
    Identifier(node) {
      checkName(node);
      check(node, node.name, wordsOfName);
    },
    PrivateIdentifier: (node) => check(node, node.name, wordsOfName),
    Literal: (node) => check(node, node.value, phrasesOf),
    TemplateElement: (node) => check(node, node.cooked, phrasesOf),
    Program() {
      for (const node of context.sourceCode.getAllComments()) {
        check(node, node.value, phrasesOfComment);
      }
    },
  };
}

/** Reports every counted word of a comment: marks.ts compares their number with the allowed one. */
function createMarks(context: LintContext): Readonly<Record<string, (node: Node) => void>> {
  return {
    Program() {
      for (const node of context.sourceCode.getAllComments()) {
        const marks = typeof node.value === "string" ? marksOfComment(node.value) : [];
        for (const mark of marks) context.report({ node, message: mark });
      }
    },
  };
}

function isTest({ filename }: LintContext): boolean {
  return filename.replaceAll("\\", "/").includes("/tests/");
}

/** The plugin, as `deno lint` loads it. */
export default { name: "slipway", rules: { words: { create }, marks: { create: createMarks } } };
