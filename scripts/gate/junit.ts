// Counts tests from the JUnit files of `deno test --junit-path` and Node's junit reporter. Both
// wrap tests in containers (a parent of subtests, a suite) that are not tests themselves: Node
// nests <testsuite>, Deno lists the container next to its members, "parent" and "parent > sub".

/** A test that has run or was skipped. */
export interface TestCase {
  /** The titles from the outermost to its own, joined by ` > `. */
  readonly name: string;
  /** Its file, `tests/…/x.test.ts`; empty if the report does not state it. */
  readonly file: string;
  readonly ms: number;
  readonly status: "passed" | "failed" | "skipped";
  /** Reason of a failure or skip, if reported. */
  readonly message: string;
}

const TAG = /<(\/?)([\w-]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;

interface OpenCase {
  readonly name: string;
  readonly file: string;
  readonly ms: number;
  status: TestCase["status"];
  message: string;
}

/** Returns the tests of a report, without containers. */
export function readJunit(xml: string): readonly TestCase[] {
  const cases: OpenCase[] = [];
  const suites: string[] = [];
  let open: OpenCase | undefined;
  for (const [, closing, tag, rest, selfClosing] of uncommented(xml).matchAll(TAG)) {
    const attributes = readAttributes(rest ?? "");
    if (tag === "testsuite") {
      if (closing !== "") suites.pop();
      else if (selfClosing === "") suites.push(isFile(attributes) ? "" : attributes["name"] ?? "");
    } else if (tag === "testcase" && closing === "") {
      const path = [...suites.filter((s) => s !== ""), attributes["name"] ?? ""];
      open = {
        name: path.join(" > "),
        file: /^\.\/(tests\/.+\.ts)$/.exec(attributes["classname"] ?? "")?.[1] ?? "",
        ms: Number(attributes["time"] ?? 0) * 1000,
        status: "passed",
        message: "",
      };
      cases.push(open);
    } else if (open !== undefined && closing === "") {
      // A todo is skipped even if its body fails: <skipped> comes first and wins.
      if (tag === "skipped") {
        open.status = "skipped";
        const reason = attributes["message"] ?? "";
        open.message = reason === "true" ? "" : reason;
      } else if ((tag === "failure" || tag === "error") && open.status === "passed") {
        open.status = "failed";
        open.message = attributes["message"] ?? "";
      }
    }
  }
  return withoutContainers(cases);
}

/** Deno names the suite of a file after the file; Node's suites are those of tests. */
function isFile(attributes: Readonly<Record<string, string>>): boolean {
  return !("hostname" in attributes);
}

function withoutContainers(cases: readonly TestCase[]): readonly TestCase[] {
  return cases.filter((one) => {
    const container = cases.some((other) => other.name.startsWith(`${one.name} > `));
    // A container that fails for a reason of its own (a hook, an assertion after its subtests) counts.
    return !container ||
      (one.status === "failed" && !/^\d+ test steps? failed/.test(one.message));
  });
}

function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(ATTRIBUTE)) {
    attributes[name] = unescapeXml(value);
  }
  return attributes;
}

function uncommented(xml: string): string {
  return xml.replaceAll(/<!--[\s\S]*?-->/g, "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

function unescapeXml(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (match, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name] ?? match;
  });
}
