import type { InstallFailure, InstallFailureCode } from "../work/failure.ts";

/** Next step for output that is not understood here. */
export const READ_ABOVE =
  "Read the lines above; check the network and the proxy, then install again";

/** Codes of npm's failures, with Node's own among them. */
const NPM_CODES: Readonly<Record<string, InstallFailureCode>> = {
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  EAI_FAIL: "dns",
  ECONNREFUSED: "connect",
  EHOSTUNREACH: "connect",
  ENETUNREACH: "connect",
  EHOSTDOWN: "connect",
  EMAXREDIRECT: "connect",
  ECONNECTIONTIMEOUT: "connect",
  EINVALIDPROXY: "proxy",
  ECONNRESET: "short",
  ECONNABORTED: "short",
  EPIPE: "short",
  ERR_SOCKET_TIMEOUT: "stalled",
  ETIMEDOUT: "stalled",
  EIDLETIMEOUT: "stalled",
  ERESPONSETIMEOUT: "stalled",
  ETRANSFERTIMEOUT: "stalled",
  EINTEGRITY: "hash",
  ETARGET: "http-status",
  ENOVERSIONS: "http-status",
  ENEEDAUTH: "http-status",
  Z_BUF_ERROR: "archive",
  Z_DATA_ERROR: "archive",
  TAR_BAD_ARCHIVE: "archive",
  ENOSPC: "disk-full",
  EDQUOT: "disk-full",
  EACCES: "not-writable",
  EPERM: "not-writable",
  EROFS: "not-writable",
};

/** OpenSSL's names of what is wrong with a certificate, and Node's of a TLS connection. */
const TLS_CODE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|^ERR_(?:TLS|SSL)|^EPROTO$/;
const NPM_CODE = /^npm (?:error|ERR!) code (\S+)$/;

const REGISTRY = "another registry ('npm config set registry')";

const NEXT: Readonly<Partial<Record<InstallFailureCode, string>>> = {
  dns: "Check the connection to the internet and the name of npm's registry " +
    "('npm config get registry'); behind a company proxy set HTTPS_PROXY",
  connect: "Check the connection, the firewall and npm's registry ('npm config get registry'); " +
    "behind a company proxy set HTTPS_PROXY",
  proxy: "Check HTTPS_PROXY and npm's own settings 'proxy' and 'https-proxy' " +
    "(http://user:password@host:port)",
  short: "The connection broke off: install again",
  stalled: `Check the connection and install again, or use ${REGISTRY}`,
  tls: "If your company inspects its traffic, save its root certificate as a PEM file and set " +
    "NODE_EXTRA_CA_CERTS to it; else check the clock of this machine",
  hash: `Never use those bytes: use ${REGISTRY}`,
  archive: `Install again; if what comes stays damaged, use ${REGISTRY}`,
  "disk-full": "Free space on that disk, or set SVC_TOOLCHAIN_DIR to a folder on another one",
  "not-writable": "Make the folder that is named writable for this user",
};

/** Classifies a failed run of npm by the code that it names, and gives the next step. */
export function npmFailure(lines: readonly string[]): Pick<InstallFailure, "code" | "next"> {
  const name = lines.map((line) => NPM_CODE.exec(line)?.[1]).find((each) => each !== undefined) ??
    "";
  const code = codeOf(name, lines);
  if (lines.some((line) => line.includes("--no-workspaces and --workspace"))) {
    return { code, next: "Remove the setting: npm config delete workspace; then install again" };
  }
  const next = code === "http-status" ? nextOfStatus(name) : NEXT[code] ?? READ_ABOVE;
  return { code, next };
}

function codeOf(name: string, lines: readonly string[]): InstallFailureCode {
  if (name === "E407") return "proxy";
  if (/^E[45]\d\d$/.test(name)) return "http-status";
  if (Object.hasOwn(NPM_CODES, name)) return NPM_CODES[name] ?? "process";
  if (TLS_CODE.test(name)) return "tls";
  return lines.some((line) => / network timeout at: /.test(line)) ? "stalled" : "process";
}

function nextOfStatus(name: string): string {
  switch (name) {
    case "E401":
    case "E403":
    case "ENEEDAUTH":
      return "Log in at the registry ('npm login'), or put its token into .npmrc";
    case "E404":
    case "ETARGET":
    case "ENOVERSIONS":
      return `Let the registry mirror npm's public one, or use ${REGISTRY}`;
    default:
      return `Install again later, or use ${REGISTRY}`;
  }
}
