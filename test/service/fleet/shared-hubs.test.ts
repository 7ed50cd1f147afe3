import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createHubAuthority } from "../../../src/fleet/join/certificates.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { Service } from "../../support/service/service.js";

const directory = new TemporaryDirectory("nvrd-shared-hubs-service");
const services: Service[] = [];
const ends: (() => void)[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
  for (const end of ends.splice(0)) end();
  directory.remove();
});

/** One address in front of several: connections go to one after the other, and to the next where nobody answers. */
async function balancer(ports: readonly number[]): Promise<number> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const passOn = (client: Socket, tries: number): void => {
    if (tries === 0) {
      client.destroy();
      return;
    }
    turn += 1;
    const hub = connectTcp(ports[turn % ports.length] ?? 0, "127.0.0.1");
    hub.once("error", () => passOn(client, tries - 1));
    hub.once("connect", () => {
      hub.removeAllListeners("error");
      for (const [one, other] of [
        [client, hub],
        [hub, client],
      ] as const) {
        sockets.add(one);
        one.on("error", () => other.destroy());
        one.on("close", () => other.destroy());
        one.pipe(other);
      }
    });
  };
  const server: Server = createServer((client) => {
    client.on("error", () => client.destroy());
    passOn(client, ports.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function json(service: Service, path: string, options: Parameters<Service["get"]>[1] = {}) {
  const { status, body } = await service.get(path, options);
  return { status, answer: JSON.parse(body.toString() || "null") };
}

it("a recorder joins two hubs behind one address by one code, is reached through both, and through the other when one is killed", async () => {
  const store = await new ScriptedStore().start();
  ends.push(() => store.stop());
  const authority = await createHubAuthority(Date.now());
  directory.write({ "authority.pem": `${authority.key}${authority.certificate}`, secret: "scripted-secret" });
  const ports = await freePorts(2);
  const address = `127.0.0.1:${await balancer(ports)}`;
  const hubs: Service[] = [];
  for (const [at, hubPort] of ports.entries()) {
    const settings = {
      ...{ hubPort, hubAddress: address, hubPeerAddress: `127.0.0.1:${hubPort}` },
      ...{
        hubAuthorityFile: directory.join("authority.pem"),
        hubStore: `http://127.0.0.1:${store.port}/nvrd/fleet/`,
      },
      ...{ hubStoreAccessKeyId: "AKIDSCRIPTED", hubStoreSecretKeyFile: directory.join("secret") },
    };
    const hub = await Service.start({ dataDir: directory.join(`hub${at}`), settings });
    services.push(hub);
    hubs.push(hub);
  }
  const recorder = await Service.start({ dataDir: directory.join("recorder") });
  services.push(recorder);
  const [first, second] = hubs;
  if (first === undefined || second === undefined) throw new Error("there are two hubs");
  const { answer: code } = await json(first, "/api/boxes/code", { method: "POST" });
  expect(code.Code).toContain(`//${address}/`);

  expect(await json(recorder, "/api/hub", { method: "POST", body: { Code: code.Code } })).toMatchObject({
    status: 200,
  });
  const { answer: own } = await json(recorder, "/api/session");
  const through = async (hub: Service) => {
    const { status, answer } = await json(hub, `/boxes/${own.ServerId}/api/session`);
    return status === 200 ? answer.ServerId : status;
  };
  for (const hub of hubs) await expect.poll(() => through(hub)).toBe(own.ServerId);
  expect(
    [...store.objects.keys()].filter((key) => key.endsWith(`hub/boxes/${own.ServerId}.json`)),
  ).toHaveLength(1);

  await first.kill();
  await expect.poll(() => through(second), { timeout: 90_000 }).toBe(own.ServerId);
});
