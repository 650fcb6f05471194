import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { findProgram, type Skip } from "../support/needs.ts";

/** A key of an elliptic curve, on standard output. */
const KEY = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"];

/** Tests with certificates of their own. */
export function withoutOpenssl(): Skip {
  return findProgram({
    name: "openssl",
    asks: KEY,
    answers: /BEGIN PRIVATE KEY/,
    from: "OpenSSL 1.1 or newer (Debian's package openssl)",
  }).skip;
}

/** The settings of this machine's OpenSSL may be missing, or not those of a root. */
const SETTINGS = `[req]
distinguished_name = name
x509_extensions = root
[name]
[root]
basicConstraints = critical, CA:TRUE
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
`;

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
  const env = { ...process.env, OPENSSL_CONF: at("settings") };
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, env, stdio: "pipe" });
  writeFileSync(at("settings"), SETTINGS);
  openssl(...KEY, "-out", "root.key");
  openssl(
    ...["req", "-x509", "-key", "root.key", "-out", "root.pem", "-days", "2"],
    ...["-subj", "/CN=Slipway test"],
  );
  openssl(...KEY, "-out", "server.key");
  openssl("req", "-new", "-key", "server.key", "-out", "server.csr", "-subj", "/CN=server");
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
