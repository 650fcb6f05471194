// Words that a reader of the field would have to translate, with the field's word: a plugin of
// `deno lint`, which the gate runs over the shipped sources. It checks names and messages, not
// comments. A word is listed only if it has no plain meaning in this code.

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
  return IN_MESSAGES.flatMap(([phrase, instead]) => {
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
  readonly parent?: Node | undefined;
}
interface LintContext {
  report(problem: { readonly node: Node; readonly message: string }): void;
}

/** Whether a name is a key of `formerNames`, which takes the words of before. */
function isFormerName({ parent }: Node): boolean {
  return parent?.parent?.parent?.key?.name === "formerNames";
}

/** Looks at names and texts. */
function create(context: LintContext): Readonly<Record<string, (node: Node) => void>> {
  const check = (node: Node, text: unknown, find: (text: string) => readonly string[]) => {
    if (typeof text !== "string") return;
    for (const message of find(text)) context.report({ node, message });
  };
  return {
    Identifier(node) {
      if (!isFormerName(node)) check(node, node.name, wordsOfName);
    },
    PrivateIdentifier: (node) => check(node, node.name, wordsOfName),
    Literal: (node) => check(node, node.value, phrasesOf),
    TemplateElement: (node) => check(node, node.cooked, phrasesOf),
  };
}

/** The plugin, as `deno lint` loads it. */
export default { name: "slipway", rules: { words: { create } } };
