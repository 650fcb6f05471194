import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { listFiles } from "./files.ts";

// Checks links in documents. A link to a file of the checkout, and a source path written as code,
// must exist, because files move and documents stay.

/** Folders whose files a page may name in backticks. */
const NAMED = /`((?:lib|adapters|scripts|tests|vectors|decisions)\/[^`\s*<>{}…]+)`/g;
const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
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
  return [...violations, ...checkDecisions(listFiles(root, ["decisions"], [".md"]))];
}

/** Decisions are cited by their number, so each number is one page. */
function checkDecisions(pages: readonly string[]): readonly string[] {
  const numbers = pages.map((page) => /^decisions\/(\d{3})-/.exec(page)?.[1]);
  return pages.filter((_, at) => numbers[at] !== undefined && numbers.indexOf(numbers[at]) < at)
    .map((page) => `${page}: another decision has that number`);
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
