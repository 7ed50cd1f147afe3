import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { SystemClock } from "../../src/base/time/clock.js";
import { MonitoringService } from "../../src/service/part/monitoring-service.js";
import { MemorySiteStore } from "../support/api/api-fakes.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";
import { healthFigures } from "../support/health/health-figures.js";
import { silentLog } from "../support/site/site-samples.js";

it("health is sent while the settings say so, and each change of them counts at once", async () => {
  const bodies: { Server: { Name: string }; Health: { State: string; Cameras: object } }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      bodies.push(JSON.parse(body));
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const [clock, site] = [new SystemClock(), new MemorySiteStore()];
  const service = new MonitoringService({
    ...{ site, events: new MemoryEventLog(clock), clock, log: silentLog },
    ...{ settings: { webhookPrivateTargets: "allow" }, language: () => "en" },
    monitor: { figures: async () => healthFigures() },
  });
  onTestFinished(async () => {
    await service.stop();
    server.closeAllConnections();
    server.close();
  });
  const set = (change: object) =>
    site.change((current) => ({ ...current, monitoring: { ...current.monitoring, ...change } }));
  service.start();
  expect(service.state).toBeUndefined();
  await set({ isEnabled: true });
  await set({ url: `http://127.0.0.1:${port}/push`, pushIntervalSeconds: 1 });
  await expect.poll(() => bodies.length, { timeout: PATIENCE_MS }).toBeGreaterThan(1);
  expect(bodies[0]).toMatchObject({ Server: { Name: "Recorder 1" }, Health: { State: expect.any(String) } });
  expect(bodies[0]?.Health.Cameras).toMatchObject({ Configured: 3 });
  await expect.poll(() => service.state?.sent, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
  await set({ isEnabled: false });
  await expect.poll(() => service.state, { timeout: PATIENCE_MS }).toBeUndefined();
  await set({ url: "" });
  expect(service.state).toBeUndefined();
});
