import { attempt } from "../core/attempt.ts";
import { decodeUtf8, viewOf } from "../core/bytes.ts";
import { unreachable } from "../core/result.ts";
import type { Files, SyncStat } from "../ports/files.ts";
import type { Host, Platform } from "../ports/host.ts";

// Reads from the beginning of a program's file which machine it is built for. The system's own
// error for the wrong machine is vague ("not executable"), and Linux passes such a file to a shell.

/** The kind of a program's file. Machines are named as Java names them: `x64`, `aarch64`. */
export type Executable =
  /** For Linux; `interpreter` is the loader, which identifies a C library. */
  | { readonly kind: "elf"; readonly machine: string; readonly interpreter?: string }
  /** For macOS, for one machine or several. */
  | { readonly kind: "mach-o"; readonly machines: readonly string[] }
  /** For Windows. */
  | { readonly kind: "pe"; readonly machine: string }
  | { readonly kind: "script"; readonly interpreter: string }
  | { readonly kind: "text" }
  | { readonly kind: "empty" }
  | { readonly kind: "unknown" };

/** A machine that programs run on. */
export interface Machine {
  readonly platform: Platform;
  readonly arch: Host["arch"];
}

/** Why a program cannot run on a machine, as the end of a sentence. */
export interface Mismatch {
  readonly reason: string;
  /**
   * Whether the program surely cannot run: macOS and Windows translate programs of some other
   * machines.
   */
  readonly certain: boolean;
}

/** Bytes at the beginning of a file that show its kind. */
const HEADER_BYTES = 4096;

const ELF_MACHINES: Readonly<Record<number, string>> = {
  3: "x86",
  0x15: "ppc64",
  0x16: "s390x",
  0x28: "arm",
  0x3e: "x64",
  0xb7: "aarch64",
  0xf3: "riscv64",
  0x102: "loongarch64",
};
const MACH_O_MACHINES: Readonly<Record<number, string>> = {
  7: "x86",
  0x01000007: "x64",
  0x0100000c: "aarch64",
};
const PE_MACHINES: Readonly<Record<number, string>> = {
  0x014c: "x86",
  0x8664: "x64",
  0xaa64: "aarch64",
};
const SYSTEMS: Readonly<Record<Platform, string>> = {
  linux: "Linux",
  darwin: "macOS",
  win32: "Windows",
};

/** Reads the kind of a file from its first {@linkcode HEADER_BYTES}. */
export function readExecutable(bytes: Uint8Array): Executable {
  if (bytes.length === 0) return { kind: "empty" };
  const view = viewOf(bytes);
  return elf(bytes, view) ?? machO(view) ?? pe(view) ?? textual(bytes);
}

function elf(bytes: Uint8Array, view: DataView): Executable | null {
  // 0: magic; 4: 1 = 32 bits, 2 = 64; 5: 1 = little end first; 18: machine; then the program headers.
  if (view.byteLength < 64 || view.getUint32(0) !== 0x7f454c46) return null;
  const wide = view.getUint8(4) === 2;
  const little = view.getUint8(5) === 1;
  const code = view.getUint16(18, little);
  const machine = ELF_MACHINES[code] ?? `machine ${code}`;
  const word = (at: number) =>
    wide ? Number(view.getBigUint64(at, little)) : view.getUint32(at, little);
  const [table, size, count] = wide
    ? [word(32), view.getUint16(54, little), view.getUint16(56, little)]
    : [word(28), view.getUint16(42, little), view.getUint16(44, little)];
  for (let i = 0; i < count; i++) {
    const at = table + i * size;
    if (at + 56 > view.byteLength) break;
    if (view.getUint32(at, little) !== 3) continue; // PT_INTERP
    const [from, length] = [word(at + (wide ? 8 : 4)), word(at + (wide ? 32 : 16))];
    const interpreter = decodeUtf8(bytes.slice(from, from + length))?.replace(/\0.*$/s, "");
    if (interpreter?.startsWith("/")) return { kind: "elf", machine, interpreter };
  }
  return { kind: "elf", machine };
}

function machO(view: DataView): Executable | null {
  if (view.byteLength < 8) return null;
  const named = (code: number) => MACH_O_MACHINES[code] ?? `machine ${code}`;
  const magic = view.getUint32(0);
  if (magic === 0xcefaedfe || magic === 0xcffaedfe) {
    return { kind: "mach-o", machines: [named(view.getUint32(4, true))] };
  }
  // Several in one file: 4: how many, then 20 bytes each. A class of Java has the same magic, and a
  // version there that is larger than any such number.
  const count = view.getUint32(4);
  if (magic !== 0xcafebabe || count > 20 || 8 + 20 * count > view.byteLength) return null;
  const machines = Array.from({ length: count }, (_, i) => named(view.getUint32(8 + 20 * i)));
  return { kind: "mach-o", machines };
}

function pe(view: DataView): Executable | null {
  if (view.byteLength < 64 || view.getUint16(0) !== 0x4d5a) return null;
  const at = view.getUint32(0x3c, true);
  if (at + 6 > view.byteLength || view.getUint32(at) !== 0x50450000) return { kind: "unknown" };
  const code = view.getUint16(at + 4, true);
  return { kind: "pe", machine: PE_MACHINES[code] ?? `machine ${code}` };
}

function textual(bytes: Uint8Array): Executable {
  // The end of the header may split a character.
  const text = new TextDecoder().decode(bytes, { stream: true });
  // The rest of a script is up to its interpreter: it may have another encoding, or be an archive.
  const [, interpreter, words = ""] = /^#![ \t]*([^ \t\n\0]+)([^\n\0]*)/.exec(text) ?? [];
  // With Windows line endings, `env NAME` searches for a program whose name ends in CR.
  const isCut = /\/env$/.test(interpreter ?? "") && /^[ \t]+[^-\s]\S*\r$/.test(words);
  if (interpreter !== undefined) {
    return { kind: "script", interpreter: isCut ? `${interpreter}\r` : interpreter };
  }
  // Shells also run scripts in an older encoding, and with colours; no text has other control characters.
  // deno-lint-ignore no-control-regex
  return { kind: /[^\P{Cc}\s\u001b]/u.test(text) ? "unknown" : "text" };
}

/** Whether no system could start a file. */
export function isNoProgram({ kind }: Executable): boolean {
  return kind === "empty" || kind === "text" || kind === "unknown";
}

/** Returns why a program cannot run on a machine; `null` if nothing shows that it cannot. */
export function mismatchOf(
  program: Executable,
  host: Machine,
  stat: SyncStat,
): Mismatch | null {
  const certainly = (reason: string): Mismatch => ({ reason, certain: true });
  const { platform } = host;
  switch (program.kind) {
    case "empty":
      return certainly("it is an empty file");
    case "unknown":
      return certainly("it is not a program");
    case "text":
      return certainly(
        platform === "win32" ? "it is a text file" : "it is a text file that begins without #!",
      );
    case "script":
      if (platform === "win32") return certainly("it is a script, expected a program");
      if (program.interpreter.endsWith("\r")) {
        return certainly("it is a script with the line endings of Windows (CR LF)");
      }
      return stat(program.interpreter).kind === "missing"
        ? certainly(`it is a script for ${program.interpreter}, which is not there`)
        : null;
    case "elf":
      if (platform !== "linux") return certainly(otherSystem("linux", platform));
      return otherMachine([program.machine], host) ?? otherLibrary(program.interpreter, stat);
    case "mach-o":
      if (platform !== "darwin") return certainly(otherSystem("darwin", platform));
      return otherMachine(program.machines, host);
    case "pe":
      if (platform !== "win32") return certainly(otherSystem("win32", platform));
      return otherMachine([program.machine], host);
    default:
      return unreachable(program);
  }
}

/** Returns why a program for these machines cannot run on another; `null` if it may. */
export function otherMachine(
  machines: readonly string[],
  { platform, arch }: Machine,
): Mismatch | null {
  const own = arch === "arm64" ? "aarch64" : arch;
  if (own === "other" || machines.includes(own)) return null;
  // 64-bit processors run these too if their libraries are installed.
  if (machines.includes(own === "x64" ? "x86" : "arm")) return null;
  return {
    reason: `it is built for ${machines.join(" and ")}, this machine is ${own}`,
    certain: platform === "linux",
  };
}

/** Describes a program that is built for another system. */
export function otherSystem(built: Platform, platform: Platform): string {
  return `it is built for ${SYSTEMS[built]}, this machine runs ${SYSTEMS[platform]}`;
}

function otherLibrary(interpreter: string | undefined, stat: SyncStat): Mismatch | null {
  if (interpreter === undefined || stat(interpreter).kind !== "missing") return null;
  const library = interpreter.includes("musl") ? "musl" : "another C library";
  return {
    reason: `it is built for ${library}: its loader ${interpreter} is not there`,
    certain: true,
  };
}

/** Folder in which Linux lists interpreters of other file formats (binfmt_misc); empty in some containers. */
const HANDLERS = "/proc/sys/fs/binfmt_misc";
const HANDLERS_OWN_FILES = ["register", "status"];

/**
 * Returns whether this machine may run a program that is built for another one, through an interpreter
 * that Linux has registered: QEMU, Rosetta, Wine, a Java launcher or, under WSL, Windows itself. A
 * container cannot list its host's interpreters, which usually run programs for other processors.
 */
export async function mayBeTranslated(
  program: Executable,
  host: Machine,
  { files }: { readonly files: Pick<Files, "list"> },
): Promise<boolean> {
  const isForProcessor = program.kind === "elf" && otherMachine([program.machine], host) !== null;
  const isOther = isForProcessor || program.kind === "pe" || program.kind === "unknown";
  if (host.platform !== "linux" || !isOther) return false;
  const listed = await attempt(() => files.list(HANDLERS));
  const names = listed.ok ? listed.value?.map(({ name }) => name) ?? [] : [];
  return names.length === 0
    ? isForProcessor
    : names.some((name) => !HANDLERS_OWN_FILES.includes(name));
}

/** Reads the kind of a program from its file. @returns `null` if the file cannot be read. */
export async function executableAt(
  path: string,
  { files }: { readonly files: Pick<Files, "readRange"> },
): Promise<Executable | null> {
  try {
    const bytes = await files.readRange(path, 0, HEADER_BYTES);
    return bytes === null ? null : readExecutable(bytes);
  } catch {
    return null; // only running it can show
  }
}
