import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { TemporaryDirectory } from "../base/temporary-directory.js";

export interface Authority {
  readonly directory: TemporaryDirectory;
  /** Of the authority, PEM. */
  readonly certificate: string;
  /** Of a server on 127.0.0.1, signed by it. */
  readonly server: { readonly key: string; readonly cert: string };
}

/** An authority of a test's own, and a certificate for a server on loopback. */
export function makeAuthority(): Authority {
  const directory = new TemporaryDirectory("nvrd-away-tls");
  const file = (name: string) => directory.join(name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  openssl(
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=authority"],
    ...["-keyout", file("ca.key"), "-out", file("ca.pem")],
  );
  openssl(
    ...["req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=store"],
    ...["-keyout", file("server.key"), "-out", file("server.csr")],
  );
  directory.write({ "server.ext": "subjectAltName=IP:127.0.0.1\n" });
  openssl(
    ...["x509", "-req", "-days", "30", "-in", file("server.csr"), "-out", file("server.pem")],
    ...["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-CAcreateserial", "-extfile", file("server.ext")],
  );
  const read = (name: string) => readFileSync(file(name), "utf8");
  return {
    directory,
    certificate: read("ca.pem"),
    server: { key: read("server.key"), cert: read("server.pem") },
  };
}
