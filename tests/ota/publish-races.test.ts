import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { withFolder } from "../support/folder.ts";
import { raceRound } from "../support/publish-races.ts";
import { runSeed } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";

const SEED = runSeed();

test(`publishers race on file://, some killed: nothing is lost or mixed (seed ${SEED})`, () =>
  withFolder(async (folder) => {
    for (let round = 0; round < rounds(8, 50); round++) {
      const home = join(folder, String(round));
      mkdirSync(home);
      const bucketUrl = pathToFileURL(join(home, "bucket")).href;
      await raceRound(home, { bucketUrl }, SEED + round);
    }
  }));
