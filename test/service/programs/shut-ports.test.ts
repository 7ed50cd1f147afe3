import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { makeCertificate } from "../../support/http/certificate.js";
import { freePorts } from "../../support/service/background-process.js";
import { Service } from "../../support/service/service.js";

/** Health says which of the service's ports are shut, or will lack a certificate, and what to do. */

interface Problem {
  readonly Code: string;
  readonly Text: string;
  readonly Action: string;
}

let directory: TemporaryDirectory;
let ports: { readonly httpPort: number; readonly httpsPort: number; readonly rtspPort: number };
let service: Service | undefined;
const blockers: Server[] = [];

beforeEach(async () => {
  directory = new TemporaryDirectory("shut-ports");
  const [httpPort = 0, httpsPort = 0, rtspPort = 0] = await freePorts(3);
  ports = { httpPort, httpsPort, rtspPort };
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await free();
  directory.remove();
});

async function block(...numbers: number[]): Promise<void> {
  for (const port of numbers) {
    const blocker = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => blocker.listen(port, "127.0.0.1", resolve));
    blockers.push(blocker);
  }
}

async function free(): Promise<void> {
  for (const blocker of blockers.splice(0)) await new Promise((resolve) => blocker.close(resolve));
}

/** With a camera it does not end for a port that it cannot have. */
async function startWithCamera(settings?: Readonly<Record<string, unknown>>): Promise<Service> {
  const dataDir = directory.join("data");
  const first = await Service.start({ dataDir, httpPort: ports.httpPort });
  await first.addCameras([{ name: "Gate", url: "rtsp://127.0.0.1:9/" }]);
  await first.stop();
  return await Service.start({ dataDir, ...ports, ...(settings === undefined ? {} : { settings }) });
}

async function problemsOf(running: Service): Promise<readonly Problem[]> {
  const { Problems } = await running.json<{ Problems: Problem[] }>("/api/health");
  return Problems.filter(({ Code }) => Code === "port-shut" || Code === "certificate-not-used");
}

it("ports of HTTPS and RTSP that another program has are problems until they are free", async () => {
  await block(ports.httpsPort, ports.rtspPort);
  service = await startWithCamera();
  const running = service;
  const Action = expect.stringContaining("httpsPort");
  await expect
    .poll(() => problemsOf(running))
    .toMatchObject([
      { Code: "port-shut", Text: expect.stringMatching(/over HTTPS: .*in use/), Action },
      { Code: "port-shut", Text: expect.stringContaining(`over RTSP: port ${ports.rtspPort}`), Action },
    ]);
  await free();
  await expect.poll(() => problemsOf(running)).toEqual([]);
});

it("a certificate that cannot be used is a problem, at the start and when its files change", async () => {
  const { key, cert } = await makeCertificate();
  const [tlsKey, tlsCertificate] = [directory.join("key.pem"), directory.join("cert.pem")];
  writeFileSync(tlsKey, key);
  writeFileSync(tlsCertificate, cert.slice(0, 200));
  service = await startWithCamera({ tlsKey, tlsCertificate });
  const running = service;
  await expect
    .poll(() => problemsOf(running))
    .toMatchObject([{ Code: "port-shut", Text: expect.stringContaining("over HTTPS") }]);
  writeFileSync(tlsCertificate, cert);
  await expect.poll(() => problemsOf(running)).toEqual([]);
  rmSync(tlsKey);
  await expect.poll(() => problemsOf(running)).toMatchObject([{ Code: "certificate-not-used" }]);
  writeFileSync(tlsKey, key);
  await expect.poll(() => problemsOf(running)).toEqual([]);
});
