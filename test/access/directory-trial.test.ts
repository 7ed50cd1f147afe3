import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tryDirectory } from "../../src/access/directory-trial.js";
import { LdapDirectory, type LdapSettings } from "../../src/access/ldap/ldap-directory.js";
import { createLog, SystemClock } from "../../src/base/index.js";
import type { DirectoryProblem } from "../../src/contract/answer/index.js";
import { BASE_DN, CLOSED_DN, PEOPLE, SERVICE_DN, SERVICE_PASSWORD, Slapd } from "../support/access/slapd.js";
import { MemorySite } from "../support/site/memory-site.js";

const ALICE: { readonly login: string; readonly password: string } = {
  login: "alice",
  password: PEOPLE.alice,
};

let slapd: Slapd;

beforeAll(async () => {
  slapd = await Slapd.start();
  slapd.directory.write({ "service-password": `${SERVICE_PASSWORD}\n`, "wrong-password": "wrong" });
});

afterAll(() => slapd.stop());

function trial(change: Partial<LdapSettings>, login = ALICE) {
  const settings: LdapSettings = {
    ...{
      url: slapd.url,
      startTls: false,
      baseDn: BASE_DN,
      bindDnTemplate: `uid={user},ou=people,${BASE_DN}`,
    },
    ...{ userFilter: "(uid={user})", groupAttribute: "memberOf", timeoutMs: 10_000, ...change },
  };
  const log = createLog({ level: "silent" });
  const directory = new LdapDirectory({ settings, clock: new SystemClock(), log });
  return tryDirectory(directory, new MemorySite([]).current, login);
}

const service = (file = "service-password", dn = SERVICE_DN): LdapSettings["service"] & object => ({
  ...{ dn, passwordFile: slapd.directory.join(file) },
});

/** An address where nothing listens. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `ldap://127.0.0.1:${port}`;
}

type Case = readonly [what: string, problem: DirectoryProblem, change: () => Partial<LdapSettings>];
const CASES: readonly Case[] = [
  ["a name without an address", "UnknownHost", () => ({ url: "ldap://directory.invalid" })],
  ["an unknown signer, by ldaps", "CertificateUntrusted", () => ({ url: slapd.tlsUrl })],
  [
    "another authority's file, by StartTLS",
    "CertificateUntrusted",
    () => ({ startTls: true, caFile: slapd.otherCaFile }),
  ],
  [
    "a certificate for another name",
    "CertificateName",
    () => ({ url: slapd.tlsUrl.replace("127.0.0.1", "localhost"), caFile: slapd.caFile }),
  ],
  ["ldaps at the port of ldap", "NoEncryption", () => ({ url: slapd.url.replace("ldap:", "ldaps:") })],
  [
    "a wrong password of the service account",
    "ServiceRefused",
    () => ({ service: service("wrong-password") }),
  ],
  [
    "a service account that is none",
    "ServiceRefused",
    () => ({ service: service(undefined, `cn=nobody,${BASE_DN}`) }),
  ],
  ["a missing file of a password", "FileUnreadable", () => ({ service: service("no-such-file") })],
  ["a missing file of certificates", "FileUnreadable", () => ({ caFile: "/no/such/ca.pem" })],
  [
    "a base that the account may not search",
    "SearchRefused",
    () => ({ service: service(), baseDn: CLOSED_DN }),
  ],
  ["a base that is no entry", "NoBase", () => ({ service: service(), baseDn: `ou=nowhere,${BASE_DN}` })],
];

describe("a trial of a directory with", () => {
  it.each(CASES)("%s says so: %s", async (_what, problem, change) => {
    expect(await trial(change())).toMatchObject({ result: "Unavailable", problem });
  });

  it("a certificate whose time is over says so: CertificateExpired", async () => {
    const expired = await Slapd.start({ certificateDays: -1 });
    onTestFinished(() => expired.stop());
    const { url, tlsUrl, caFile } = expired;
    for (const change of [
      { url, startTls: true, caFile },
      { url: tlsUrl, caFile },
    ])
      expect(await trial(change)).toMatchObject({ result: "Unavailable", problem: "CertificateExpired" });
  });

  it("an authority and a password as text, without files, is right", async () => {
    const ca = readFileSync(slapd.caFile, "utf8");
    const account = { dn: SERVICE_DN, password: SERVICE_PASSWORD };
    expect(await trial({ startTls: true, ca, service: account })).toMatchObject({
      ...{ result: "NoGroup", problem: undefined },
    });
    const other = readFileSync(slapd.otherCaFile, "utf8");
    expect(await trial({ startTls: true, ca: other })).toMatchObject({ problem: "CertificateUntrusted" });
    expect(await trial({ service: { ...account, password: "" } })).toMatchObject({
      problem: "ServiceRefused",
    });
  });

  it("nothing at its address says so: Unreachable", async () => {
    const { problem, reason } = await trial({ url: await closedUrl() });
    expect([problem, reason]).toEqual(["Unreachable", expect.stringMatching(/ECONNREFUSED/)]);
  });

  it("a server that accepts and never answers says so: TooSlow", async () => {
    const server = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await trial({ url, timeoutMs: 300 })).toMatchObject({ result: "Unavailable", problem: "TooSlow" });
    server.close();
  });

  it.each([
    ["cannot begin TLS", "NoEncryption", true, "300c02010278070a010204000400"],
    ["takes no password without encryption", "EncryptionRequired", false, "300c02010261070a010d04000400"],
  ])("a server that %s says so: %s", async (_what, problem, startTls, answer) => {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.write(Buffer.from(answer, "hex")));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await trial({ url, startTls })).toMatchObject({ result: "Unavailable", problem });
    server.close();
  });

  it("a wrong password, and with a right one, names no problem", async () => {
    const wrong = { ...ALICE, password: "wrong" };
    expect(await trial({ service: service() }, wrong)).toMatchObject({
      ...{ result: "Refused", problem: undefined },
    });
    expect(await trial({})).toMatchObject({ result: "NoGroup", problem: undefined });
  });

  it("a wrong password of anybody tells no secret", async () => {
    const trialText = JSON.stringify(await trial({ service: service("wrong-password") }));
    expect(trialText).not.toContain(PEOPLE.alice);
    expect(trialText).not.toContain("wrong");
  });
});

/** An element of BER (X.690) with a short length. */
function ber(tag: number, ...content: readonly (Buffer | number)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => (typeof part === "number" ? Buffer.from([part]) : part)));
  return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
}

it("a directory that says what it was sent gives away no password", async () => {
  const UNAVAILABLE = 52;
  const says = Buffer.from(`no: ${PEOPLE.alice}, ${Buffer.from(`alice:${PEOPLE.alice}`).toString("base64")}`);
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (asked) => {
      const id = asked.subarray(2, 5);
      socket.write(ber(0x30, id, ber(0x61, ber(0x0a, UNAVAILABLE), ber(0x04), ber(0x04, says))));
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { result, reason } = await trial({ url });
  expect([result, reason]).toEqual(["Unavailable", expect.stringContaining("no: ***, ***")]);
});
