import { decodeUtf8 } from "../../lib/core/bytes.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Processes } from "../../lib/ports/processes.ts";

// The steps of an installation, seen from outside: by what it asks of the disk and of programs. A test
// stops an installation there, or kills it.

/** Called before a step goes on; each is told once, until another one is. */
export type OnStep = (step: string) => void | Promise<void>;

interface Ports {
  readonly files: Files;
  readonly processes: Processes;
}

const RUN = "[\\w-]+-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const STAGING = new RegExp(`/staging/${RUN}$`);
const IN_STAGING = new RegExp(`/staging/${RUN}/`);
const PUT_ASIDE = /\/trash\/[^/]+\/old-(\d+)$/;
const JOURNAL = /\/trash\/[^/]+\/swap\.json$/;
const RECEIPT = /\/receipts\/[\w-]+\.json$/;

/**
 * The ports, watched. The steps: `locked`, `build`, `download`, `extract`, `built`, `tested`,
 * `swap-out-<i>`, `swap-in-<i>`, `receipt`, `committed`; `uninstall`.
 */
export function watched({ files, processes }: Ports, onStep: OnStep): Ports {
  let last = "";
  let swapped = 0;
  let isBuilt = false;
  const reach = async (step: string) => {
    if (step === last) return;
    last = step;
    await onStep(step);
  };
  const build = async () => {
    if (!isBuilt) await reach("built");
    isBuilt = true;
  };
  return {
    files: {
      ...files,
      async list(path) {
        if (path.endsWith("/trash")) await reach("locked");
        return await files.list(path);
      },
      async makeDirectory(path) {
        await files.makeDirectory(path);
        if (STAGING.test(path)) {
          isBuilt = false;
          await reach("build");
        }
        if (path.endsWith("/downloads")) await reach("download");
        if (IN_STAGING.test(path) && !isBuilt) await reach("extract");
      },
      async openRead(path, signal) {
        if (IN_STAGING.test(path)) {
          await build();
          await reach("tested");
        }
        return await files.openRead(path, signal);
      },
      async rename(from, to) {
        const aside = PUT_ASIDE.exec(to)?.[1];
        if (aside !== undefined) await reach(`swap-out-${aside}`);
        if (IN_STAGING.test(from) && !to.includes("/staging/")) await reach(`swap-in-${swapped++}`);
        await files.rename(from, to);
      },
      async sync(path) {
        await files.sync(path);
        if (!path.includes("/downloads")) await reach("receipt");
      },
      async writeAtomic(path, body, options) {
        const written = await files.writeAtomic(path, body, options);
        if (RECEIPT.test(path)) await reach("committed");
        const journal = JOURNAL.test(path) && body instanceof Uint8Array ? decodeUtf8(body) : null;
        if (journal?.includes('"uninstall"')) await reach("uninstall");
        return written;
      },
    },
    processes: {
      async run(request) {
        // What was made is tried in a neutral folder; what makes it runs in the staging folder.
        const isTrial = !request.cwd.includes("/staging/") &&
          [request.command, ...request.args].some((word) => IN_STAGING.test(word));
        if (isTrial) await build();
        return await processes.run(request);
      },
    },
  };
}
