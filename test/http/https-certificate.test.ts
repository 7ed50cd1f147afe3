import { execFile } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/index.js";
import { createLeaf } from "../../src/http/certificate/own-authority.js";
import { readCertificate } from "../../src/http/certificate/own-certificate.js";
import { OwnCertificate } from "../../src/http/index.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { makeCertificate } from "../support/http/certificate.js";

/** What the recorder makes for HTTPS itself, as OpenSSL sees it. */

const DAY_US = 86_400_000_000;
const NOW_US = Date.now() * 1000;
const run = promisify(execFile);
const openssl = (args: readonly string[]) => run("openssl", args);

let directory: TemporaryDirectory;
let clock: SimulatedClock;
let names: string[];
let lines: string[];
let own: OwnCertificate;

const inside = (name: string) => join(directory.join("tls"), name);
const read = (name: string) => readFile(inside(name), "utf8");

function open(): OwnCertificate {
  const log = createLog({ level: "info", destination: { write: (line: string) => void lines.push(line) } });
  return new OwnCertificate({
    ...{ dataDir: directory.join(), address: "192.168.7.9", clock, log },
    names: () => names,
  });
}

/** What OpenSSL says of a certificate that the authority has signed, for one who asks by this name. */
async function verdict(name: string, file = inside("certificate.pem")): Promise<string> {
  const asked = isIP(name) !== 0 ? ["-verify_ip", name] : ["-verify_hostname", name];
  const args = [
    "verify",
    "-x509_strict",
    "-purpose",
    "sslserver",
    "-CAfile",
    inside("authority.pem"),
    ...asked,
    file,
  ];
  const { stdout } = await openssl(args).catch((error: { stdout: string; stderr: string }) => ({
    stdout: error.stdout + error.stderr,
  }));
  return stdout;
}

beforeEach(async () => {
  directory = new TemporaryDirectory("own-certificate");
  clock = new SimulatedClock(NOW_US);
  names = ["recorder", "recorder.local", "localhost", "127.0.0.1", "192.168.7.9", "fd00::9"];
  lines = [];
  own = open();
  await own.ensure();
});
afterEach(() => directory.remove());

const certificate = () => read("certificate.pem");

describe("the certificate that the recorder makes itself", () => {
  it("is signed by its authority for each name and address, their keys readable by the service alone", async () => {
    for (const name of ["recorder.local", "localhost", "192.168.7.9", "fd00::9"])
      expect(await verdict(name)).toMatch(/: OK$/m);
    expect(await verdict("192.168.7.10")).toMatch(/IP address mismatch/);
    for (const key of ["key.pem", "authority-key.pem"])
      expect((await stat(inside(key))).mode & 0o777).toBe(0o600);
    expect(lines.join()).not.toContain("PRIVATE");
  });

  it("is signed by an authority that nobody can use to pretend to be a site of the Internet", async () => {
    const authority = { key: await read("authority-key.pem"), certificate: await read("authority.pem") };
    const { certificate: made } = await createLeaf(
      authority,
      ["bank.example", "93.184.216.34", "a.local"],
      Date.now(),
    );
    await writeFile(inside("made.pem"), made);
    expect(await verdict("a.local", inside("made.pem"))).toMatch(/: OK$/m);
    expect(await verdict("bank.example", inside("made.pem"))).toMatch(/hostname mismatch/);
    // Whoever has stolen the key writes what it likes.
    await writeFile(inside("ext"), "subjectAltName=DNS:bank.example");
    const csr = [
      "req",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-subj",
      "/CN=x",
      "-keyout",
      inside("k"),
      "-out",
      inside("r"),
    ];
    await openssl(csr);
    const signing = ["x509", "-req", "-in", inside("r"), "-CA", inside("authority.pem"), "-CAkey"];
    await openssl([
      ...signing,
      inside("authority-key.pem"),
      "-extfile",
      inside("ext"),
      "-out",
      inside("made.pem"),
    ]);
    expect(await verdict("bank.example", inside("made.pem"))).toMatch(/permitted subtree violation/);
  });

  it("names its addresses as people write them", async () => {
    const { facts } = await readCertificate(own.files);
    expect(facts.names).toEqual(names);
  });

  it("is not replaced by one that is valid from next month on alone", async () => {
    const { cert, key } = await makeCertificate("recorder", new Date(NOW_US / 1000 + (30 * DAY_US) / 1000));
    const before = await certificate();
    await expect(own.replace({ certificate: cert, key })).rejects.toThrow(/not valid yet/);
    expect(await certificate()).toBe(before);
  });

  it("is kept over restarts", async () => {
    const before = await certificate();
    own = open();
    await own.ensure();
    await own.renewIfDue();
    expect(await certificate()).toBe(before);
  });

  it("is made anew for another address, by the same authority", async () => {
    const authority = await read("authority.pem");
    names = [...names, "10.1.2.3"];
    await own.renewIfDue();
    expect(await verdict("10.1.2.3")).toMatch(/: OK$/m);
    expect(await read("authority.pem")).toBe(authority);
  });

  it("is made anew for an address that came while the recorder was off", async () => {
    names = [...names, "10.1.2.3"];
    own = open();
    await own.ensure();
    await own.renewIfDue();
    expect(await verdict("10.1.2.3")).toMatch(/: OK$/m);
  });

  it("leaves out what the authority may not sign, and is not made again and again for that", async () => {
    names = [...names, "2001:db8::1", "nvr.example.org"];
    const before = await certificate();
    for (let round = 0; round < 3; round += 1) await own.renewIfDue();
    expect(await certificate()).toBe(before);
  });

  it("is made anew before it ends, and for a clock that was years ahead", async () => {
    const first = await certificate();
    clock.advance(700 * DAY_US);
    await own.renewIfDue();
    expect(await certificate()).toBe(first);
    clock.advance(50 * DAY_US);
    await own.renewIfDue();
    const second = await certificate();
    expect(second).not.toBe(first);
    clock.stepWall(-780 * DAY_US);
    await own.renewIfDue();
    expect(await certificate()).not.toBe(second);
  });

  it("is good at once where the clock was years ahead at the first start", async () => {
    directory.remove();
    directory = new TemporaryDirectory("own-certificate");
    clock.stepWall(4000 * DAY_US);
    own = open();
    await own.ensure();
    clock.stepWall(-4000 * DAY_US);
    await own.renewIfDue();
    expect(await verdict("recorder.local")).toMatch(/: OK$/m);
  });

  it("stays where it cannot be written, which is said once", async () => {
    names = [...names, "10.1.2.3"];
    directory.remove();
    await writeFile(directory.join(), "no folder");
    for (let round = 0; round < 3; round += 1) await own.renewIfDue();
    expect(lines.filter((line) => line.includes("cannot be made anew"))).toHaveLength(1);
  });
});

describe("a certificate that was put in its place", () => {
  it("is left alone, whatever the names, until it is taken back", async () => {
    const { key, cert } = await makeCertificate("nvr.example.org");
    await own.replace({ key, certificate: cert });
    names = [...names, "10.1.2.3"];
    await own.renewIfDue();
    expect(await certificate()).toBe(cert);
    expect(await own.authority()).toBeUndefined();
    await own.restore();
    expect(await verdict("10.1.2.3")).toMatch(/: OK$/m);
    expect((await own.authority())?.pem).toBe(await read("authority.pem"));
  });
});

/** The text with another letter in the midst of its Base64: what is left is PEM still. */
function flipped(pem: string): string {
  const lines = pem.split("\n");
  const at = Math.floor((lines.indexOf(lines.find((line) => line.startsWith("-----END")) ?? "") + 1) / 2);
  const line = lines[at] ?? "";
  const letter = line[20] === "A" ? "B" : "A";
  return lines.with(at, line.slice(0, 20) + letter + line.slice(21)).join("\n");
}

const isPair = async () =>
  new X509Certificate(await certificate()).checkPrivateKey(createPrivateKey(await read("key.pem")));

describe("a certificate that is damaged", () => {
  const damages: [string, (text: string) => string][] = [
    ["cut", (text) => text.slice(0, text.length / 2)],
    ["empty", () => ""],
    ["zeros", (text) => "\0".repeat(text.length)],
    ["flipped", flipped],
    ["of another", (text) => text],
  ];

  it.each(
    ["key.pem", "certificate.pem"].flatMap((file) =>
      damages.map(([what, damage]) => [file, what, damage] as const),
    ),
  )("%s, %s, is replaced at the start, by the same authority", async (file, what, damage) => {
    const { key, cert } = await makeCertificate("nvr.example.org");
    const foreign = file === "key.pem" ? key : cert;
    await writeFile(inside(file), damage(what === "of another" ? foreign : await read(file)));
    const authority = await read("authority.pem");
    await open().ensure();
    expect(await isPair()).toBe(true);
    expect(await verdict("recorder.local")).toMatch(/: OK$/m);
    expect(await read("authority.pem")).toBe(authority);
    expect(lines.some((line) => line.includes("is damaged"))).toBe(true);
  });

  it("is kept beside the new one", async () => {
    const { key } = await makeCertificate("nvr.example.org");
    const before = await certificate();
    await writeFile(inside("key.pem"), key);
    await open().ensure();
    expect(await read("certificate.pem.damaged")).toBe(before);
    expect(await read("key.pem.damaged")).toBe(key);
    expect((await stat(inside("key.pem.damaged"))).mode & 0o777).toBe(0o600);
  });

  it("is replaced where it cannot be read at all", async () => {
    await rm(inside("key.pem"));
    await mkdir(inside("key.pem"));
    await open().ensure();
    expect(await isPair()).toBe(true);
  });

  it("does not end a recorder where nothing can be written", async () => {
    directory.remove();
    await writeFile(directory.join(), "no folder");
    await expect(open().ensure()).rejects.toMatchObject({ code: "NOT_AVAILABLE" });
  });

  it.each(["authority.pem", "authority-key.pem"])("%s is replaced with what it is to sign", async (file) => {
    await writeFile(inside(file), flipped(await read(file)));
    own = open();
    await own.ensure();
    await own.renewIfDue();
    expect(await verdict("recorder.local")).toMatch(/: OK$/m);
    const known = await own.authority();
    expect(known?.pem).toBe(await read("authority.pem"));
    names = [...names, "10.1.2.3"];
    await own.renewIfDue();
    expect(await verdict("10.1.2.3")).toMatch(/: OK$/m);
  });

  it("that somebody put there, and which is whole, is left alone beside a damaged authority", async () => {
    const { key, cert } = await makeCertificate("nvr.example.org");
    await own.replace({ key, certificate: cert });
    await writeFile(inside("authority.pem"), flipped(await read("authority.pem")));
    own = open();
    await own.ensure();
    await own.renewIfDue();
    expect(await certificate()).toBe(cert);
  });
});
