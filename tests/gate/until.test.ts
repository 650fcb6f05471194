import assert from "node:assert/strict";
import { test } from "node:test";
import { until, UNTIL_MS, UNTIL_SOURCE } from "../support/until.ts";

/** Gives values one after another, and then `undefined`. */
function oneByOne<T>(
  ...values: readonly T[]
): { readonly next: () => T | undefined; asked: number } {
  return {
    asked: 0,
    next() {
      return values[this.asked++];
    },
  };
}

const HOLDS: readonly (readonly [string, readonly unknown[], unknown])[] = [
  ["at once", [7], 7],
  ["after false, null and undefined", [false, null, undefined, "seen"], "seen"],
  ["with 0 and the empty text, which are values", [false, 0], 0],
  ["with an empty text", [""], ""],
];
for (const [name, values, held] of HOLDS) {
  test(`until() resolves ${name}`, async () => {
    const condition = oneByOne(...values);
    assert.equal(await until("it is seen", () => condition.next()), held);
    assert.equal(condition.asked, values.length, "it is not checked again once it holds");
  });

  test(`until() of an asynchronous condition resolves ${name}`, async () => {
    const condition = oneByOne(...values);
    assert.equal(await until("it is seen", () => Promise.resolve(condition.next())), held);
    assert.equal(condition.asked, values.length);
  });
}

const EXPIRES: readonly (readonly [string, () => unknown, string])[] = [
  ["is false", () => false, "false"],
  ["is missing", () => undefined, "undefined"],
  ["is null after a turn", () => Promise.resolve(null), "null"],
  ["never answers", () => new Promise(() => {}), "no answer yet"],
];
for (const [name, condition, seen] of EXPIRES) {
  test(`until() expires where the condition ${name}, with what was awaited and seen`, async () => {
    await assert.rejects(until("the boat moves", condition, 20), {
      message: `Not within 0.02 s: the boat moves; last seen: ${seen}`,
    });
  });
}

for (
  const [name, fail] of [
    ["throws", () => assert.fail("broken")],
    ["rejects", () => Promise.reject(new Error("broken"))],
  ] as const
) {
  test(`until() ends at once where the condition ${name}`, async () => {
    let asked = 0;
    const condition = () => {
      asked++;
      return fail();
    };
    await assert.rejects(until("it works", condition), /^[^:]*: broken$/);
    assert.equal(asked, 1);
  });
}

test("until() has a deadline where none is given", () => assert.ok(UNTIL_MS >= 60_000));

/** Runs the body of an asynchronous function in which only the source of `until` is declared. */
function evaluated(body: string): Promise<unknown> {
  const run = new Function(`return (async () => { ${UNTIL_SOURCE} ${body} })();`);
  return Promise.resolve(Reflect.apply(run, undefined, []));
}

test("UNTIL_SOURCE is the same until() for a page: it holds, expires and names what it awaits", async () => {
  assert.equal(
    await evaluated(`let n = 0; return await until("it has counted", () => ++n === 3 && n);`),
    3,
  );
  await assert.rejects(evaluated(`await until("the page moves", () => false, 20);`), {
    message: "Not within 0.02 s: the page moves; last seen: false",
  });
  assert.equal(await evaluated("return UNTIL_MS;"), UNTIL_MS);
});
