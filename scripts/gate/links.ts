import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { listFiles } from "./files.ts";

// Checks links in documents. A link to a file of the checkout, and a source path written as code,
// must exist, because files move and documents stay. So must the page of a decision that a document
// or a source cites.

/** Folders whose files a page may name in backticks. */
const NAMED = /`((?:lib|adapters|scripts|tests|vectors|decisions)\/[^`\s*<>{}…]+)`/g;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
/** A decision cited by its number, also over the end of a line. */
const CITED = /\b[dD]ecisions?(?: |\n[ \t]*(?:\/\/|\*)?[ \t]*)(\d+)(?: and (\d+))?/g;
const CITING = [".ts", ".tsx", ".mjs", ".md", ".swift", ".java"];
/** Pages about the past. */
const PAST = ["CHANGELOG.md"];

/** Returns each broken link and path, one sentence each. */
export function checkLinks(root: string): readonly string[] {
  const violations: string[] = [];
  const pages = listFiles(root, ["."], [".md"]).filter((path) =>
    !PAST.includes(path) && !path.startsWith("tests/")
  );
  for (const page of pages) {
    const lines = readFileSync(join(root, page), "utf8").split("\n");
    for (const [index, line] of lines.entries()) {
      const where = `${page}:${index + 1}`;
      for (const [, target = ""] of line.matchAll(LINK)) {
        const why = brokenLink(root, page, target);
        if (why !== null) violations.push(`${where}: the link ${target} ${why}`);
      }
      for (const [, path = ""] of line.matchAll(NAMED)) {
        if (!existsSync(join(root, path))) violations.push(`${where}: ${path} is not there`);
      }
    }
  }
  return [...violations, ...checkDecisions(root)];
}

/** Decisions are cited by their numbers: a number is one page, and a cited one has a page. */
function checkDecisions(root: string): readonly string[] {
  const pages = listFiles(root, ["decisions"], [".md"])
    .flatMap((page) => {
      const number = /^decisions\/(\d{3})-/.exec(page)?.[1];
      return number === undefined ? [] : [{ page, number: Number(number) }];
    });
  const numbers = pages.map(({ number }) => number);
  return [
    ...pages.filter(({ number }, at) => numbers.indexOf(number) < at)
      .map(({ page }) => `${page}: another decision has that number`),
    ...citedDecisions(root).filter(({ number }) => !numbers.includes(number))
      .map(({ where, number }) => `${where}: decision ${number} has no page`),
  ];
}

function citedDecisions(
  root: string,
): readonly { readonly where: string; readonly number: number }[] {
  const files = listFiles(root, ["."], CITING).filter((path) => !PAST.includes(path));
  return files.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...text.matchAll(CITED)].flatMap(({ index, 1: first, 2: second }) => {
      const where = `${path}:${text.slice(0, index).split("\n").length}`;
      return [first, second].flatMap((number) =>
        number === undefined ? [] : [{ where, number: Number(number) }]
      );
    });
  });
}

/** @returns The fault of a link, or `null`. */
function brokenLink(root: string, page: string, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return null; // of another site
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? page : posix.join(dirname(page), file);
  if (!existsSync(join(root, path))) return "leads to nothing";
  if (anchor === undefined || !path.endsWith(".md")) return null;
  const headings = readFileSync(join(root, path), "utf8").matchAll(/^#+ +(.+)$/gm);
  const anchors = [...headings].map(([, heading = ""]) => anchorOf(heading));
  return anchors.includes(anchor) ? null : `leads to no heading of ${path}`;
}

/** Returns the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-");
}
