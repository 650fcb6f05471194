import { execFile, spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";

// A program may leave its process group, and its parent too: then only its environment reveals its
// origin. Linux shows that; other systems only the tree of parents.

/** The variable that marks a run's processes, on Linux. A run within a run adds its own word. */
const RUN_MARK = "SLIPWAY_RUN_ID";
/** The bound against a program that forks faster than it is killed. */
const MOST_ROUNDS = 50;

/** Adds a run's mark to `env`, if the system can find it again. */
export function marked(
  env: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> {
  if (process.platform !== "linux") return { ...env };
  const outer = env[RUN_MARK];
  return { ...env, [RUN_MARK]: outer === undefined ? mark : `${outer} ${mark}` };
}

/** Kills the process group of a program, or the program itself if it has none. */
export function killGroup(pid: number): void {
  if (process.platform === "win32") {
    const system = process.env["SystemRoot"] ?? "C:\\Windows";
    spawn(`${system}\\System32\\taskkill.exe`, ["/pid", String(pid), "/T", "/F"], {
      stdio: "ignore",
      windowsHide: true,
    })
      .on("error", () => kill(pid));
    return;
  }
  if (!kill(-pid)) kill(pid); // the group may have ended before the process itself
}

/** Kills a program and everything that it started, in any group or session. Never rejects. */
export async function killTree(pid: number, mark: string): Promise<void> {
  if (process.platform === "win32") return killGroup(pid); // taskkill follows the parents itself
  const family = new Set([pid]);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // Before the first kill: an orphan no longer reveals its parent.
    const before = family.size;
    for (const found of await familyOf(family, mark)) family.add(found);
    if (round === 0) killGroup(pid);
    if (round > 0 && family.size === before) return;
    for (const each of family) if (each !== pid) kill(each);
  }
}

interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly isMarked: boolean;
}

/** Returns the running processes that are marked, or descend from `roots` or from marked ones. */
async function familyOf(roots: ReadonlySet<number>, mark: string): Promise<ReadonlySet<number>> {
  const running = process.platform === "linux" ? await fromProc(mark) : await fromPs();
  const family = new Set(roots);
  running.filter(({ isMarked }) => isMarked).forEach(({ pid }) => family.add(pid));
  for (let size = -1; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of running) if (family.has(parent)) family.add(pid);
  }
  family.delete(process.pid);
  return family;
}

async function fromProc(mark: string): Promise<readonly Running[]> {
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map(async (name) => {
      const [stat, environ] = await Promise.all(
        ["stat", "environ"].map((file) =>
          // The process has ended, or belongs to another user.
          readFile(`/proc/${name}/${file}`, "latin1").catch(() => "")
        ),
      );
      // `pid (name) state parent …`: the name may hold anything.
      const parent = Number(/^.*\) \S (\d+) /s.exec(stat ?? "")?.[1] ?? 0);
      return { pid: Number(name), parent, isMarked: isMarked(environ ?? "", mark) };
    }),
  );
  return found;
}

function isMarked(environ: string, mark: string): boolean {
  return environ.split("\0").some((each) => each.startsWith(`${RUN_MARK}=`) && each.includes(mark));
}

function fromPs(): Promise<readonly Running[]> {
  return new Promise((resolve) => {
    execFile("/bin/ps", ["-A", "-o", "pid=,ppid="], (error, stdout) => {
      if (error !== null) return resolve([]);
      const lines = stdout.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
      resolve(lines.map(([pid = 0, parent = 0]) => ({ pid, parent, isMarked: false })));
    });
  });
}

/** @returns Whether the process or group existed. */
function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
