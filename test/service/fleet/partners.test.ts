import { existsSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { Service } from "../../support/service/service.js";

const directory = new TemporaryDirectory("nvrd-partners-service");
const services: Service[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
  directory.remove();
});

const ports = new Map<string, number>();

async function started(name: string): Promise<Service> {
  const [partnerPort = 0] = ports.has(name) ? [ports.get(name)] : await freePorts(1);
  ports.set(name, partnerPort);
  const service = await Service.start({ dataDir: directory.join(name), settings: { partnerPort } });
  services.push(service);
  return service;
}

interface Listed {
  readonly Partners: readonly { readonly Id: string; readonly IsConnected: boolean }[];
}

const connected = async (service: Service): Promise<readonly boolean[]> =>
  (await service.json<Listed>("/api/fleet/partners")).Partners.map(({ IsConnected }) => IsConnected);

it("two recorders become partners by a code, hear each other again after one is killed, and part: then nothing remains", async () => {
  const [one, other] = [await started("one"), await started("other")];
  const { Code } = await one.json<{ Code: string }>("/api/fleet/partners/code", { method: "POST" });
  await other.json("/api/fleet/partners", { method: "POST", body: { Code } });
  await expect.poll(() => connected(one)).toEqual([true]);
  await expect.poll(() => connected(other)).toEqual([true]);

  const { SenderId } = await other.json<{ SenderId: string }>("/configex?responsetype=json");
  const { Servers } = await one.json<{ Servers: { Id: string; PrimaryPort: string }[] }>(
    "/configex?responsetype=json",
  );
  expect(Servers).toMatchObject([{}, { Id: SenderId, PrimaryPort: `${other.httpPort}` }]);
  expect((await one.get("/api/log")).body.toString()).not.toContain("nvrd-box://");

  services.splice(services.indexOf(other), 1);
  await other.kill();
  await expect.poll(() => connected(one)).toEqual([false]);
  const again = await started("other");
  await expect.poll(() => connected(one)).toEqual([true]);

  const { SenderId: oneId } = await one.json<{ SenderId: string }>("/configex?responsetype=json");
  await again.json(`/api/fleet/partners/${oneId}`, { method: "DELETE" });
  expect((await one.json<Listed>("/api/fleet/partners")).Partners).toEqual([]);
  await expect.poll(() => existsSync(directory.join("one", "partners"))).toBe(false);
  expect(existsSync(directory.join("other", "partners"))).toBe(false);
});
