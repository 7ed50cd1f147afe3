import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requestCertificate } from "../../../src/acme/certificate-request.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { TestAuthority } from "../../support/acme/test-authority.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { makeCertificate } from "../../support/http/certificate.js";

interface Pair {
  readonly Certificate: string;
  readonly Key: string;
}

const directory = new TemporaryDirectory("certificates");
let pair: Pair;
let other: Pair;
let api: ApiHarness;

async function made(name: string): Promise<Pair> {
  const { cert: Certificate, key: Key } = await makeCertificate(name);
  return { Certificate, Key };
}

beforeAll(async () => {
  pair = await made("recorder.example");
  other = await made("other.example");
  return () => directory.remove();
});

afterEach(() => api.stop());

const put = (body: unknown, login = ROOT_QUERY) =>
  fetch(api.url(`/api/system/certificate?${login}`), { method: "PUT", body: JSON.stringify(body) });

/** The subject that HTTPS shows now. */
function shownName(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      const { CN } = socket.getPeerCertificate().subject;
      socket.destroy();
      resolve(String(CN));
    });
    socket.on("error", reject);
  });
}

describe("the certificate of HTTPS", () => {
  it("is the recorder's own at first, is shown and saved, and never its key", async () => {
    api = await startApi({ settings: { httpsPort: "any" } });
    const state = await (await api.get("/api/system/certificate")).json();
    expect(state).toMatchObject({
      HttpsPort: api.httpsPort,
      CanChange: true,
      Reason: null,
      Certificate: { IsSelfSigned: false, Names: expect.arrayContaining(["localhost", "127.0.0.1"]) },
      Authority: { IsSelfSigned: true },
    });
    const file = await (await api.get("/api/system/certificate/file")).text();
    expect(file).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(file + JSON.stringify(state)).not.toContain("PRIVATE");
  });

  it("is replaced without a restart, in a user's name, and the recorder's own again once that is taken back", async () => {
    api = await startApi({ settings: { httpsPort: "any" } });
    const response = await put(pair);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      Subject: "CN=recorder.example",
      Names: ["recorder.example", "127.0.0.1"],
    });
    expect(api.events.raised.map(({ typeId, initiator }) => [typeId, initiator?.name])).toContainEqual([
      EVENT_TYPES.certificateChanged.id,
      "root",
    ]);
    await expect.poll(() => shownName(api.httpsPort)).toBe("recorder.example");
    expect(statSync(join(api.dataDir, "tls", "key.pem")).mode & 0o777).toBe(0o600);
    expect((await api.get("/api/system/certificate/authority")).status).toBe(404);
    const takeBack = (login: string) =>
      fetch(api.url(`/api/system/certificate?${login}`), { method: "DELETE" });
    expect((await takeBack("login=guard")).status).toBe(403);
    expect((await takeBack(ROOT_QUERY)).status).toBe(200);
    expect(await (await api.get("/api/system/certificate")).json()).toMatchObject({
      Certificate: { Names: expect.arrayContaining(["localhost"]) },
      Authority: { IsSelfSigned: true },
    });
    expect(JSON.stringify(api.logLines)).not.toContain("PRIVATE KEY");
  });

  it("is shown by its names alone where it has no other, as authorities make them now", async () => {
    api = await startApi({ settings: { httpsPort: "any" } });
    const { key: Key, request } = await requestCertificate(["recorder.example"]);
    const authority = await TestAuthority.create();
    const Certificate = String(await authority.sign(request, { nowMs: Date.now(), days: 90 }));
    const answer = await put({ Certificate, Key });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { Subject: "", Names: ["recorder.example"], Issuer: "CN=Test authority" },
    ]);
  });

  it("is trusted by whoever installs the recorder's authority, which every user may save", async () => {
    api = await startApi({ settings: { httpsPort: "any" } });
    const answer = await fetch(api.url("/api/system/certificate/authority?login=guard"));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-x509-ca-cert"]);
    const ca = await answer.text();
    expect(ca).not.toContain("PRIVATE");
    const socket = connect({ port: api.httpsPort, host: "127.0.0.1", ca });
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.destroy();
  });

  it("stays as it is where another one cannot be used, with the reason", async () => {
    api = await startApi({ settings: { httpsPort: "any" } });
    const before = await (await api.get("/api/system/certificate")).json();
    for (const [body, reason] of [
      [{ Certificate: pair.Certificate, Key: other.Key }, "the key is not that of the certificate"],
      [{ Certificate: "nothing", Key: pair.Key }, "no certificate in PEM"],
      [{ Certificate: pair.Certificate, Key: "nothing" }, "the key is none in PEM"],
      [{ Certificate: pair.Certificate }, "Key"],
    ] as const) {
      const response = await put(body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ ErrorMessage: expect.stringContaining(reason) });
    }
    expect(await (await api.get("/api/system/certificate")).json()).toEqual(before);
    expect((await put(pair, "login=guard")).status).toBe(403);
  });

  it("is refused in Russian where the request asks for that", async () => {
    api = await startApi({ settings: { httpsPort: "any" } });
    const response = await fetch(api.url(`/api/system/certificate?${ROOT_QUERY}`), {
      ...{ method: "PUT", body: JSON.stringify({ Certificate: pair.Certificate, Key: other.Key }) },
      headers: { "Accept-Language": "ru" },
    });
    const ErrorMessage = "Сертификат не принят: ключ не от этого сертификата.";
    expect([response.status, await response.json()]).toEqual([400, { ErrorMessage }]);
  });

  it("is not replaced where HTTPS is off, or the settings name its files", async () => {
    api = await startApi();
    expect(await (await api.get("/api/system/certificate")).json()).toEqual({
      HttpsPort: 0,
      Certificate: null,
      Authority: null,
      CanChange: false,
      Reason: "HTTPS is off (setting httpsPort)",
    });
    expect((await put(pair)).status).toBe(409);
    expect((await api.get("/api/system/certificate/file")).status).toBe(404);
    await api.stop();
    directory.write({ "recorder.pem": pair.Certificate, "recorder.key": pair.Key });
    const tls = { certificateFile: directory.join("recorder.pem"), keyFile: directory.join("recorder.key") };
    api = await startApi({ settings: { httpsPort: "any", tls } });
    const state = await (await api.get("/api/system/certificate")).json();
    expect(state).toMatchObject({ CanChange: false, Certificate: { Subject: "CN=recorder.example" } });
    expect((await put(other)).status).toBe(409);
  });
});
