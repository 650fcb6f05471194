// The little XML that S3 speaks: elements and text. What stores never send, and what makes readers
// of XML dangerous (document types, entities of one's own), is refused.

/** One element. Attributes, comments and name space prefixes are left out. */
export interface XmlElement {
  readonly name: string;
  /** Its own text, put together. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Elements in one another; S3 needs five. */
const MAX_DEPTH = 16;
const ATTRIBUTE = /\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*')/;
const TOKEN = new RegExp(
  [
    "<\\?[^>]*\\?>", // a declaration
    "<!--[^]*?-->",
    "<!\\[CDATA\\[(?<raw>[^]*?)\\]\\]>",
    "</(?<end>[\\w.:-]+)\\s*>",
    `<(?<start>[\\w.:-]+)(?:${ATTRIBUTE.source})*\\s*(?<empty>/?)>`,
    "(?<text>[^<]+)",
  ].join("|"),
  "y",
);
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

/** Reads one document. @returns Its root, or `null` when it is not such a document. */
export function parseXml(document: string): XmlElement | null {
  const root = openElement("");
  const open = [root];
  const token = new RegExp(TOKEN);
  for (let at = document.startsWith("\ufeff") ? 1 : 0; at < document.length;) {
    token.lastIndex = at;
    const match = token.exec(document);
    const current = open[open.length - 1];
    if (match === null || current === undefined) return null;
    at = token.lastIndex;
    const { raw, end, start, empty, text } = match.groups ?? {};
    if (end !== undefined) {
      if (open.length === 1 || current.name !== localName(end)) return null;
      open.pop();
    } else if (start !== undefined) {
      const element = openElement(localName(start));
      current.children.push(element);
      if (empty !== "/") open.push(element);
      if (open.length > MAX_DEPTH) return null;
    } else {
      const decoded = raw ?? decodeEntities(text ?? "");
      if (decoded === null) return null;
      current.text += decoded;
    }
  }
  const [only, second] = root.children;
  const closed = open.length === 1 && root.text.trim() === "";
  return closed && second === undefined && only !== undefined ? only : null;
}

/** The children of a name. */
export function childrenNamed(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** The text of the first child of a name; `null` when there is none. */
export function firstText(element: XmlElement, name: string): string | null {
  return childrenNamed(element, name)[0]?.text ?? null;
}

/** Text as it stands in an element. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
}

interface OpenElement extends XmlElement {
  text: string;
  readonly children: OpenElement[];
}

function openElement(name: string): OpenElement {
  return { name, text: "", children: [] };
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

function decodeEntities(text: string): string | null {
  let known = true;
  const decoded = text.replace(/&([^;&]{0,10};?)/g, (_, written: string) => {
    const character = decodeEntity(written);
    known &&= character !== null;
    return character ?? "";
  });
  return known ? decoded : null;
}

/** @param written Such as `amp;`, `#233;` or `#xe9;`. */
function decodeEntity(written: string): string | null {
  if (!written.endsWith(";")) return null;
  const name = written.slice(0, -1);
  const number = /^#(?:x(?<hex>[0-9a-fA-F]{1,6})|(?<decimal>[0-9]{1,7}))$/.exec(name)?.groups;
  if (number === undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] ?? null : null;
  const code = parseInt(number["hex"] ?? number["decimal"] ?? "", number["hex"] ? 16 : 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null;
}
