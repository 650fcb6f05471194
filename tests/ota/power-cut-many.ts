import type { Phone } from "./power-cut-phone.ts";
import { ROOT } from "./power-cut-releases.ts";
import {
  all,
  confirm,
  launch,
  makeActive,
  type Scenario,
  SCENARIOS,
} from "./power-cut-scenarios.ts";

// Disk operations of the device for a version of many files (DEV-61, DEV-62, DEV-63).

/** Active, and looked at since its last launch. */
const active = all((phone) => makeActive(phone, "v5"), launch, confirm);

/** A name comes and goes: the folder has another time. */
async function touch({ files }: Phone): Promise<void> {
  const path = `${ROOT}/shell/v5/art/passing`;
  await files.write(path, new Uint8Array(1), { sync: true });
  await files.remove(path);
}

const MANY: readonly Scenario[] = [
  {
    title: "a staging of many files",
    before: (phone) => makeActive(phone, "v1"),
    async run(phone) {
      await phone.stage("v5");
    },
    stages: true,
    latest: "v5",
    lastSteps: 24,
  },
  {
    title: "a launch of many files",
    before: active,
    run: launch,
    latest: "v5",
    launches: true,
  },
  {
    title: "a launch of many files, one of whose folders changed",
    before: all(active, touch),
    run: launch,
    latest: "v5",
    launches: true,
  },
  {
    title: "a confirmation of a launch that looked at folders alone",
    before: all(active, launch),
    run: confirm,
    latest: "v5",
  },
  {
    title: "a confirmation of a launch that looked at folders alone, of which a file is short",
    before: all(active, (phone) => phone.shorten("v5", "index.html"), launch),
    run: confirm,
    latest: "v5",
  },
];

/** Everything that the device does to its disk. */
export const EVERY_SCENARIO: readonly Scenario[] = [...SCENARIOS, ...MANY];
