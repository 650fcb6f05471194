import assert from "node:assert/strict";
import { test } from "node:test";
import { Once } from "../../lib/core/once.ts";

/** Work of which the test says how it ends. */
function controlled() {
  const runs: { readonly resolve: (value: number) => void; readonly reject: () => void }[] = [];
  const work = () =>
    new Promise<number>((resolve, reject) =>
      runs.push({ resolve, reject: () => reject(new Error("it broke")) })
    );
  return { runs, work };
}

test("Once runs its work once for all who ask, then and later", async () => {
  const { runs, work } = controlled();
  const once = new Once(work);
  assert.equal(once.begun, null);
  const asked = [once.get(), once.get()];
  runs[0]?.resolve(7);
  assert.deepEqual([...await Promise.all(asked), await once.get(), runs.length], [7, 7, 7, 1]);
});

test("Once does again what came to nothing: a rejection, and an outcome that is not kept", async () => {
  const { runs, work } = controlled();
  const once = new Once(work, (value) => value > 0);
  const broken = once.get();
  runs[0]?.reject();
  await assert.rejects(broken, /it broke/);
  assert.equal(once.begun, null);
  const none = once.get();
  runs[1]?.resolve(0);
  assert.equal(await none, 0);
  const done = once.get();
  runs[2]?.resolve(3);
  assert.deepEqual([await done, await once.get(), runs.length], [3, 3, 3]);
});

test("Once.again() takes the place of what there is, and an older run that breaks does not undo it", async () => {
  const { runs, work } = controlled();
  const once = new Once(work);
  const [old, fresh] = [once.get(), once.again()];
  runs[1]?.resolve(2);
  assert.equal(await fresh, 2);
  runs[0]?.reject();
  await assert.rejects(old);
  assert.deepEqual([await once.get(), runs.length], [2, 2]);
  once.forget();
  void once.get();
  assert.equal(runs.length, 3);
});
