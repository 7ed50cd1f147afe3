import { afterEach, describe, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { inspectDevice } from "../../../src/camera/index.js";
import { DigestGuard, type DigestGuardOptions } from "../../support/camera/digest-guard.js";
import { SoapFront } from "../../support/camera/soap-front.js";

const fronts: SoapFront[] = [];
afterEach(async () => {
  for (const front of fronts.splice(0)) await front.stop();
});

const bytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const BASIC = 'Basic realm="camera"';

const GUARDS: readonly (readonly [string, DigestGuardOptions])[] = [
  ["MD5 with qop", {}],
  ["MD5 without qop, as RFC 2069", { qop: undefined }],
  ["MD5 without qop and without the algorithm's name", { qop: undefined, algorithmName: "" }],
  ["MD5-sess", { algorithm: "MD5-sess" }],
  ["MD5-sess, written in small letters", { algorithm: "MD5-sess", algorithmName: "md5-sess" }],
  ["SHA-256", { algorithm: "SHA-256" }],
  ["SHA-256, written without a dash", { algorithm: "SHA-256", algorithmName: "SHA256" }],
  ["SHA-256, its name in quotes", { algorithm: "SHA-256", algorithmName: '"SHA-256"' }],
  ["SHA-256-sess", { algorithm: "SHA-256-sess" }],
  ["SHA-512-256", { algorithm: "SHA-512-256" }],
  ["auth-int alone", { qop: "auth-int" }],
  ["auth-int before auth", { qop: "auth-int,auth" }],
  ["auth-int and blanks", { qop: "auth-int auth" }],
  ["nonces that are good once, said to be stale", { nonceUses: 1 }],
  ["nonces that are good once, without a word", { nonceUses: 1, saysStale: false }],
  ["nonces that are good twice, without a word", { nonceUses: 2, saysStale: false }],
  [
    "nonces that are good once with auth-int and SHA-256",
    { nonceUses: 1, qop: "auth-int", algorithm: "SHA-256" },
  ],
  ["a realm with quotes", { realm: 'IP \\"Camera\\" 1' }],
  ["a realm with a backslash", { realm: "CAM\\\\1" }],
  ["a realm in UTF-8", { realm: bytes("Камера 门口") }],
  ["a realm in Latin-1", { realm: "Kamera S\u00fcd" }],
  ["an empty realm", { realm: "" }],
  ["a realm with a comma and an equals sign", { realm: "Login to a=b, c" }],
  ["an opaque with signs", { opaque: "a,b=c==" }],
  ["Basic before Digest", { before: [BASIC] }],
  ["Basic before Digest in one header", { before: [BASIC], inOneHeader: true }],
  ["Basic behind Digest in one header", { behind: [BASIC], inOneHeader: true }],
  [
    "an unknown algorithm beside MD5",
    { before: ['Digest realm="camera", nonce="x", algorithm=SHA3-384, qop="auth"'] },
  ],
  ["Bearer and Negotiate beside it", { before: ["Negotiate", 'Bearer realm="camera"'], behind: ["NTLM"] }],
  ["Negotiate with a token in one header", { before: ["Negotiate YWJj=="], inOneHeader: true }],
  [
    "parameters in capitals",
    { written: (text) => text.replace(/\b(realm|nonce|qop|algorithm)=/g, (name) => name.toUpperCase()) },
  ],
  ["the scheme in small letters", { written: (text) => text.replace("Digest", "digest") }],
  ["blanks around equals signs", { written: (text) => text.replace(/(realm|qop|algorithm)=/g, "$1 = ") }],
  ["tabs and no blanks", { written: (text) => text.replace(/, /g, ",\t").replace("Digest ", "Digest\t") }],
  [
    "a comma at the end and at the beginning",
    { written: (text) => `${text.replace("Digest ", "Digest , ")},` },
  ],
  ["qop without quotes", { written: (text) => text.replace('qop="auth"', "qop=auth") }],
  ["nc that it does not look at", { countsStrictly: false }],
  ["a domain before all", { written: (text) => text.replace("Digest ", 'Digest domain="/onvif /", ') }],
  ["stale=FALSE at the first", { written: (text) => `${text}, stale=FALSE` }],
  ["charset and userhash, which is false", { written: (text) => `${text}, charset=UTF-8, userhash=false` }],
];

describe("a device is described that asks for a login by", () => {
  it.each(GUARDS)("%s", async (_, options) => {
    const guard = new DigestGuard(options);
    const front = await SoapFront.start({ guard: guard.guard, camera: { ptz: true } });
    fronts.push(front);
    const device = await inspectDevice({
      ...{ address: front.address, login: "admin", password: "Secret#1", clock: new SystemClock() },
    });
    expect([device.model, device.profiles.length, device.warnings]).toEqual(["P3265-LVE", 2, []]);
    expect(guard.refusals).toBe(0);
  });

  it.each([
    ["пользователь", "пароль«1»"],
    ["admin", 'a"b\\c:d'],
    ["us er", "门口"],
  ])("user %s with password %s", async (login, password) => {
    const guard = new DigestGuard({ login, password, realm: bytes("Камера") });
    const front = await SoapFront.start({ guard: guard.guard });
    fronts.push(front);
    const device = await inspectDevice({ address: front.address, login, password, clock: new SystemClock() });
    expect([device.profiles.length, guard.refusals]).toEqual([2, 0]);
  });
});
