import { connect } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { AcmeServer, type AcmeServerOptions } from "../../support/acme/acme-server.js";
import { loopbackReach } from "../../support/acme/loopback-reach.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { makeCertificate } from "../../support/http/certificate.js";

const PATH = "/api/system/certificate/acme";
let api: ApiHarness;
let server: AcmeServer;

async function started(options: Partial<AcmeServerOptions> = {}): Promise<void> {
  api = await startApi({
    settings: { httpsPort: "any" },
    nameReach: loopbackReach(() => api.port),
  });
  server = await AcmeServer.start({
    httpPort: () => api.port,
    terms: "https://authority.example/terms",
    ...options,
  });
}

afterEach(async () => {
  await api.stop();
  await server?.stop();
});

const body = (change: object = {}) => ({
  ...{
    Names: ["nvr.example.org"],
    DirectoryUrl: server.directoryUrl,
    Authority: server.trust,
    TermsAgreed: true,
  },
  ...change,
});

const jsonOf = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

const send = (method: string, path: string, value?: unknown, login = ROOT_QUERY) =>
  fetch(api.url(`${path}${path.includes("?") ? "&" : "?"}${login}`), {
    method,
    ...(value === undefined ? {} : { body: JSON.stringify(value) }),
  });

const state = async (): Promise<Record<string, unknown>> => jsonOf(await api.get(PATH));

async function settled(): Promise<Record<string, unknown>> {
  await expect.poll(async () => (await state()).IsWorking).toBe(false);
  return await state();
}

async function tried(change: object = {}): Promise<{ TermsUrl: string | null; Checks: object[] }> {
  const { TermsAgreed: _, ...settings } = body(change);
  const started = await send("POST", "/api/tasks", { Kind: "TryAcme", ...settings });
  expect(started.status).toBe(202);
  const { Id } = await jsonOf(started);
  const task = async () => await jsonOf(await api.get(`/api/tasks/${String(Id)}`));
  await expect.poll(async () => (await task()).State).toBe("Done");
  return (await task()).Result as { TermsUrl: string | null; Checks: object[] };
}

/** The names that HTTPS shows now. */
function shownNames(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: api.httpsPort, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subjectaltname));
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

describe("certificates of HTTPS from an authority", () => {
  it("are asked for by an administrator, used without a restart, and reported in events", async () => {
    await started();
    expect(await state()).toMatchObject({
      CanChange: true,
      Settings: null,
      IsWorking: false,
      HttpPort: api.port,
    });
    const answer = await send("PUT", PATH, body({ Email: "owner@example.org" }));
    expect(answer.status).toBe(200);
    const done = await settled();
    expect(done).toMatchObject({
      Settings: { Names: ["nvr.example.org"], Email: "owner@example.org", HasHmacKey: false },
      Certificate: { Names: ["nvr.example.org"], Issuer: "CN=Test authority" },
      Failure: null,
    });
    expect(Date.parse(String(done.NextTime))).toBeGreaterThan(Date.now() + 50 * 86_400_000);
    await expect.poll(shownNames).toBe("DNS:nvr.example.org");
    const raised = api.events.raised.map(({ typeId, comment, initiator }) => [
      typeId,
      comment,
      initiator?.name,
    ]);
    expect(raised).toContainEqual([
      EVENT_TYPES.acmeChanged.id,
      `nvr.example.org (${new URL(server.url).host})`,
      "root",
    ]);
    expect(raised).toContainEqual([EVENT_TYPES.certificateChanged.id, "nvr.example.org", "System"]);
  });

  it("cannot be replaced by an upload meanwhile, and give way to the recorder's own afterwards", async () => {
    await started();
    await send("PUT", PATH, body());
    await settled();
    const { cert, key } = await makeCertificate("other.example");
    const upload = await send("PUT", "/api/system/certificate", { Certificate: cert, Key: key });
    expect([upload.status, (await jsonOf(upload)).ErrorMessage]).toEqual([
      409,
      expect.stringContaining("switch that off first"),
    ]);
    expect((await send("DELETE", "/api/system/certificate")).status).toBe(409);
    expect(await (await send("DELETE", PATH)).json()).toMatchObject({ Settings: null, Certificate: null });
    expect(await (await api.get("/api/system/certificate")).json()).toMatchObject({
      Authority: { IsSelfSigned: true },
    });
    expect(api.events.raised.at(-1)).toMatchObject({ typeId: EVENT_TYPES.acmeChanged.id, comment: "off" });
  });

  it("are for administrators alone", async () => {
    await started();
    for (const method of ["GET", "PUT", "DELETE"])
      expect((await send(method, PATH, method === "PUT" ? body() : undefined, "login=guard")).status).toBe(
        403,
      );
    const { TermsAgreed: _, ...settings } = body();
    expect((await send("POST", "/api/tasks", { Kind: "TryAcme", ...settings }, "login=guard")).status).toBe(
      403,
    );
    expect((await send("POST", "/api/tasks", { Kind: "ObtainCertificate" }, "login=guard")).status).toBe(403);
  });

  it("never show the account's key, in no answer and no line of the log", async () => {
    const secret = Buffer.alloc(32, 7);
    await started({ externalKeys: { mine: secret } });
    const HmacKey = secret.toString("base64url");
    const first = await send("PUT", PATH, body({ KeyId: "mine", HmacKey }));
    expect((await settled()).Failure).toBeNull();
    // Left out, it stays.
    await send("PUT", PATH, body({ KeyId: "mine", Names: ["b.example.org"] }));
    expect(await settled()).toMatchObject({ Failure: null, Settings: { KeyId: "mine", HasHmacKey: true } });
    expect((await send("PUT", PATH, body({ KeyId: "other" }))).status).toBe(409);
    const all = (await first.text()) + JSON.stringify(await state()) + JSON.stringify(api.logLines);
    expect(all).not.toContain(HmacKey);
    expect(all).not.toContain("PRIVATE KEY");
  });

  it("tell in an installer's language why there is none", async () => {
    await started();
    await send("PUT", PATH, body({ Names: ["recorder.local"] }));
    await settled();
    const said = async (language: string) =>
      (await jsonOf(await api.get(`${PATH}?language=${language}`))).Failure;
    expect(await said("en")).toMatchObject({
      Problem: "NameRefused",
      Title: "recorder.local: the authority gives no certificate for this name",
      Remedy: expect.stringContaining("Use a name that you own"),
      Reason: "no public suffix",
    });
    expect(await said("ru")).toMatchObject({ Remedy: expect.stringContaining("принадлежит вам") });
    expect(api.events.raised.at(-2)).toMatchObject({ typeId: EVENT_TYPES.certificateNotObtained.id });
  });

  it.each([
    [{ TermsAgreed: false }, "TermsAgreed"],
    [{ Names: [] }, "at least one"],
    [{ Names: ["*.example.org"] }, "a host name"],
    [{ Names: ["192.168.1.1"] }, "a host name"],
    [{ Names: Array.from({ length: 17 }, (_, index) => `a${index}.example.org`) }, "at most 16"],
    [{ DirectoryUrl: "http://authority.example/directory" }, "https"],
    [{ DirectoryUrl: "https://user:password@authority.example/" }, "https"],
    [{ Email: "nobody" }, "e-mail"],
    [{ Authority: "none" }, "PEM"],
  ])("are not asked for with %o", async (change, why) => {
    await started();
    const answer = await send("PUT", PATH, body(change));
    expect([answer.status, (await jsonOf(answer)).ErrorMessage]).toEqual([400, expect.stringContaining(why)]);
    expect((await state()).Settings).toBeNull();
  });

  it("are tried beforehand: terms, the way to the authority, and each name's way to this recorder", async () => {
    await started();
    const { TermsUrl, Checks } = await tried({ Names: ["nvr.example.org", "name.unknown"], Language: "ru" });
    expect(TermsUrl).toBe("https://authority.example/terms");
    expect(Checks).toEqual([
      expect.objectContaining({ What: "Clock", Problem: null }),
      expect.objectContaining({ What: "Http", Problem: null }),
      expect.objectContaining({ What: "Authority", Problem: null, Remedy: null }),
      expect.objectContaining({ What: "Name", Name: "nvr.example.org", Problem: null }),
      expect.objectContaining({
        What: "Name",
        Name: "name.unknown",
        Problem: "NameUnknown",
        Title: "У имени нет адреса",
      }),
    ]);
    expect(server.count(/new-/)).toBe(0);
    expect((await state()).Settings).toBeNull();
  });

  it("are tried with the reason where the authority does not answer, or the clock is not known", async () => {
    await started();
    api.wallClock.knownBy = undefined;
    const { Checks } = await tried({ DirectoryUrl: "https://127.0.0.1:1/directory" });
    expect(Checks.slice(0, 3)).toMatchObject([
      { Problem: "ClockUnknown" },
      { Problem: null },
      { Problem: "ServerUnreachable" },
    ]);
  });

  it("answer the authority's look without a login, and only for what is asked", async () => {
    await started();
    const answer = await fetch(api.url("/.well-known/acme-challenge/no-such-token"));
    expect(answer.status).toBe(404);
    expect((await fetch(api.url("/.well-known/acme-challenge/a/b"))).status).toBe(404);
  });

  it("cannot be asked for where HTTPS is off", async () => {
    await started();
    await api.stop();
    api = await startApi();
    expect(await state()).toMatchObject({ CanChange: false });
    expect((await send("PUT", PATH, body())).status).toBe(409);
    expect((await send("POST", "/api/tasks", { Kind: "ObtainCertificate" })).status).toBe(409);
  });
});
