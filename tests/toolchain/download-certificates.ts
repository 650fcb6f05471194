import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Why certificates cannot be made on this machine, or `false`. */
export const withoutOpenssl: string | false = hasOpenssl() ? false : "no openssl on this machine";

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A company of one day: its root, and a server's certificate that it signed. */
export interface Company {
  /** The file that holds the root, PEM. */
  readonly root: string;
  readonly key: string;
  readonly cert: string;
}

/** Makes a company's certificates in a folder. @param names What the server's is for (`IP:127.0.0.1`). */
export function foundCompany(folder: string, names: string): Company {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", "/CN=Slipway test"];
  openssl(
    "req",
    "-x509",
    ...ec,
    "-keyout",
    "root.key",
    "-out",
    "root.pem",
    "-days",
    "2",
    ...subject,
  );
  openssl("req", ...ec, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server");
  writeFileSync(at("names"), `subjectAltName=${names}\nbasicConstraints=CA:FALSE\n`);
  openssl(
    ...["x509", "-req", "-in", "server.csr", "-CA", "root.pem", "-CAkey", "root.key"],
    ...["-CAcreateserial", "-out", "server.pem", "-days", "2", "-extfile", "names"],
  );
  return {
    root: at("root.pem"),
    key: readFileSync(at("server.key"), "utf8"),
    cert: readFileSync(at("server.pem"), "utf8"),
  };
}
