import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import process from "node:process";
import * as tls from "node:tls";
import { promisify } from "node:util";
import { messageOf } from "../../lib/core/result.ts";
import { withoutSecrets } from "../../lib/core/secrets.ts";
import { CERTIFICATE_VARIABLES, type Environment } from "../../lib/core/proxy.ts";
import { readWhole } from "./file-reads.ts";

// A company that inspects its network's traffic adds its own certificate to the machine's store;
// browsers and curl then work, but a runtime with only its built-in list does not.

/** Certificates to trust in addition to the runtime's own. */
export interface ExtraCertificates {
  /** One PEM block each, without duplicates. */
  readonly pem: readonly string[];
  /** Why files that the environment names could not be used. */
  readonly problems: readonly string[];
}

/** The files in which Linux distributions keep the machine's certificates. */
const LINUX_STORES = [
  "/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Alpine, Arch
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, RHEL
  "/etc/ssl/ca-bundle.pem", // openSUSE
  "/etc/ssl/cert.pem",
];

/** The largest file of certificates that is read, in bytes; a distribution's own has 200 KB. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Reads the machine's certificates, and those of the files that the environment names. */
export async function readExtraCertificates(env: Environment): Promise<ExtraCertificates> {
  const builtIn = new Set(tls.rootCertificates.flatMap(blocksOf));
  const pem = new Set<string>();
  const add = (blocks: readonly string[]) => {
    for (const block of blocks) if (!builtIn.has(block) && isCertificate(block)) pem.add(block);
  };
  add(await machineCertificates());
  const problems: string[] = [];
  for (const name of CERTIFICATE_VARIABLES) {
    const path = env[name];
    if (!path) continue;
    try {
      const blocks = blocksOf(await readText(path));
      if (blocks.length === 0) problems.push(`${name}: no certificate in ${path}`);
      add(blocks);
    } catch (thrown) {
      problems.push(`${name}: ${messageOf(thrown)}`);
    }
  }
  return { pem: [...pem], problems };
}

/** Reads the machine's own store; empty if it cannot be read, as in the runtimes themselves. */
async function machineCertificates(): Promise<readonly string[]> {
  // Node 22.15 and later, and Deno.
  const read: unknown = Reflect.get(tls, "getCACertificates");
  if (typeof read === "function") {
    const found: unknown = Reflect.apply(read, tls, ["system"]);
    return Array.isArray(found) ? blocksOf(found.join("\n")) : [];
  }
  switch (process.platform) {
    case "darwin":
      return await printed("/usr/bin/security", ["find-certificate", "-a", "-p"]);
    case "win32":
      return await printed(
        `${
          process.env["SystemRoot"] ?? "C:\\Windows"
        }\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`,
        ["-NoProfile", "-NonInteractive", "-Command", WINDOWS_STORE],
      );
    default:
      for (const path of LINUX_STORES) {
        const text = await readText(path).catch(() => "");
        if (text !== "") return blocksOf(text);
      }
      return [];
  }
}

const WINDOWS_STORE = "Get-ChildItem Cert:\\LocalMachine\\Root,Cert:\\CurrentUser\\Root | " +
  "ForEach-Object { '-----BEGIN CERTIFICATE-----'; " +
  "[Convert]::ToBase64String($_.RawData,'InsertLineBreaks'); '-----END CERTIFICATE-----' }";

async function printed(program: string, args: string[]): Promise<readonly string[]> {
  const set = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]]
  );
  const env = withoutSecrets(Object.fromEntries(set));
  const options = { timeout: 20_000, maxBuffer: 16 * 1024 * 1024, env };
  return await promisify(execFile)(program, args, options)
    .then(({ stdout }) => blocksOf(stdout), () => []);
}

async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readWhole(path, MAX_FILE_BYTES));
}

/** The certificates of a text, spelled alike: stores break lines at different lengths. */
function blocksOf(text: string): string[] {
  const blocks = text.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g);
  return Array.from(blocks, ([, body = ""]) => {
    const lines = body.replace(/\s/g, "").match(/.{1,64}/g) ?? [];
    return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----"].join("\n");
  });
}

/** One invalid certificate would make the runtime refuse all of them. */
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
