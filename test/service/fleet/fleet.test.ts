import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { Service } from "../../support/service/service.js";

const directory = new TemporaryDirectory("nvrd-fleet-service");
const services: Service[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
  directory.remove();
});

async function started(name: string, settings: Readonly<Record<string, unknown>> = {}): Promise<Service> {
  const service = await Service.start({ dataDir: directory.join(name), settings });
  services.push(service);
  return service;
}

async function json(service: Service, path: string, options: Parameters<Service["get"]>[1] = {}) {
  const { status, body } = await service.get(path, options);
  return { status, answer: JSON.parse(body.toString() || "null") };
}

/** Names of the threads of a process. */
function threadsOf({ process: { pid } }: Service): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).map((id) =>
    readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim(),
  );
}

it("a recorder joins a hub by its code, is asked through it, and leaves it again: then nothing of it remains", async () => {
  const [hubPort] = await freePorts(1);
  const [hub, recorder] = [await started("hub", { hubPort }), await started("recorder")];
  const threadsBefore = threadsOf(recorder).length;
  const { answer: code } = await json(hub, "/api/boxes/code", { method: "POST" });
  const misled = code.Code.replace(/\/\/.*:/, "//127.0.0.1:");

  expect(await json(recorder, "/api/hub", { method: "POST", body: { Code: misled } })).toMatchObject({
    status: 200,
    answer: { Hub: `127.0.0.1:${hubPort}`, Ceiling: "Look" },
  });
  await expect.poll(async () => (await json(hub, "/api/boxes")).answer.Boxes[0]?.IsConnected).toBe(true);
  await expect.poll(() => threadsOf(recorder).length).toBeGreaterThan(threadsBefore);

  const { answer: own } = await json(recorder, "/api/session");
  const { answer: through } = await json(hub, `/boxes/${own.ServerId}/api/session`);
  expect(through).toMatchObject({
    ServerId: own.ServerId,
    Login: `root @ 127.0.0.1:${hubPort}`,
    IsAdministrator: false,
  });
  expect((await json(hub, `/boxes/${own.ServerId}/configure/users`)).status).toBe(403);
  expect((await recorder.get("/api/log")).body.toString()).not.toContain("nvrd-hub://");

  expect(await json(recorder, "/api/hub", { method: "DELETE" })).toEqual({ status: 200, answer: null });
  expect((await json(hub, "/api/boxes")).answer.Boxes).toEqual([]);
  expect(existsSync(directory.join("recorder", "fleet"))).toBe(false);
  await expect.poll(() => threadsOf(recorder).length).toBeLessThanOrEqual(threadsBefore);
});
