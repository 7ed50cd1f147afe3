import { readFileSync } from "node:fs";
import { connect } from "node:tls";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AcmeServer, problem } from "../../support/acme/acme-server.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { md5, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const PATH = "/api/system/certificate/acme";
const HMAC_KEY = Buffer.alloc(32, 9);

let directory: TemporaryDirectory;
let server: AcmeServer;
let service: Service;
let httpsPort: number;
let isDown = false;

async function start(): Promise<void> {
  service = await Service.start({
    dataDir: directory.join("data"),
    httpsPort,
    settings: { logLevel: "trace" },
  });
}

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-acme-service");
  [httpsPort = 0] = await freePorts(1);
  server = await AcmeServer.start({
    httpPort: () => service.httpPort,
    externalKeys: { mine: HMAC_KEY },
    instead: ({ path }) =>
      isDown && path === "new-order" ? problem("serverInternal", "down", 500) : undefined,
  });
  await start();
});

afterAll(async () => {
  await service?.stop();
  await server?.stop();
  directory?.remove();
});

interface State {
  readonly IsWorking: boolean;
  readonly NextTime: string;
  readonly Certificate: { readonly Names: readonly string[] } | null;
  readonly Failure: object | null;
}

async function settled(): Promise<State> {
  const state = () => service.json<State>(PATH);
  await expect.poll(async () => (await state()).IsWorking).toBe(false);
  return await state();
}

/** The names that HTTPS shows, to a client that trusts the authority alone. */
function shownNames(): Promise<string> {
  return new Promise((resolve, reject) => {
    const servername = "nvr.example.org";
    const socket = connect(
      { port: httpsPort, host: "127.0.0.1", servername, ca: server.authority.pem },
      () => {
        resolve(String(socket.getPeerCertificate().subjectaltname));
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}

describe("the service with an authority for its certificates", () => {
  it("shows one that its clients trust, also after a restart, and asks for no other then", async () => {
    await service.json(PATH, {
      method: "PUT",
      body: {
        ...{ Names: ["nvr.example.org"], DirectoryUrl: server.directoryUrl, Authority: server.trust },
        ...{ KeyId: "mine", HmacKey: HMAC_KEY.toString("base64url"), TermsAgreed: true },
      },
    });
    expect(await settled()).toMatchObject({ Failure: null, Certificate: { Names: ["nvr.example.org"] } });
    const names = () => shownNames().catch((error: Error) => error.message);
    await expect.poll(names).toBe("DNS:nvr.example.org");
    await service.stop();
    await start();
    expect(await names()).toBe("DNS:nvr.example.org");
    expect(await settled()).toMatchObject({ Failure: null, Certificate: { Names: ["nvr.example.org"] } });
    expect(server.count("new-order")).toBe(1);
  });

  it("tells none of the secrets: not in its log, its file for support, or its configuration", async () => {
    const key = readFileSync(directory.join("data/tls/acme/account-key.pem"), "utf8").split("\n")[1] ?? "";
    const bundle = gunzipSync((await service.get("/api/support")).body).toString("latin1");
    const configuration = (await service.get("/api/system/configuration")).body.toString();
    for (const text of [service.log, bundle, configuration, JSON.stringify(await settled())])
      for (const secret of [key, HMAC_KEY.toString("base64url"), md5(ROOT_PASSWORD)])
        expect(text).not.toContain(secret);
    expect(key.length).toBeGreaterThan(40);
  });

  it("is not well once three tries for the first certificate failed", async () => {
    isDown = true;
    await service.json(PATH, { method: "DELETE" });
    const body = {
      Names: ["b.example.org"],
      DirectoryUrl: server.directoryUrl,
      Authority: server.trust,
      TermsAgreed: true,
    };
    const account = { KeyId: "mine", HmacKey: HMAC_KEY.toString("base64url") };
    await service.json(PATH, { method: "PUT", body: { ...body, ...account } });
    for (let tries = 1; tries < 3; tries += 1) {
      expect(await settled()).toMatchObject({ Failure: { Problem: "ServerBusy" } });
      const began = await service.get("/api/tasks", { method: "POST", body: { Kind: "ObtainCertificate" } });
      expect(began.status).toBe(202);
    }
    await settled();
    const codes = async () =>
      (await service.json<{ Problems: { Code: string }[] }>("/api/health")).Problems.map(({ Code }) => Code);
    await expect.poll(codes).toContain("certificate-not-renewed");
  });
});
