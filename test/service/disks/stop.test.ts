// Own process: it runs the service inside itself.
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Alarms } from "../../../src/alarm/alarms.js";
import { LmdbEventLog } from "../../../src/event/event-log.js";
import { ControlServer } from "../../../src/host/control/control-server.js";
import { ApiServer } from "../../../src/service/api/api-server.js";
import { HealthService } from "../../../src/service/part/health-service.js";
import { ArchiveService } from "../../../src/service/part/record/archive-service.js";
import { CameraService } from "../../../src/service/part/record/camera-service.js";
import { DiscoveryService } from "../../../src/service/part/record/discovery-service.js";
import { RecordingService } from "../../../src/service/part/record/recording-service.js";
import { RtspOutlet } from "../../../src/service/part/rtsp-outlet.js";
import { UpdateService } from "../../../src/service/shared/update-service.js";
import { LmdbSiteStore } from "../../../src/site/store/lmdb-site-store.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { eventsOf } from "../../support/event/service-events.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";
import { serviceInProcess } from "../../support/service/service-in-process.js";

let directory: TemporaryDirectory;

beforeEach(() => {
  directory = new TemporaryDirectory("stop");
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  directory.remove();
});

describe("a service of which a part does not stop, or does not start", () => {
  /** The parts that hold what is recorded. */
  const dataParts = [RecordingService, ArchiveService, LmdbEventLog, LmdbSiteStore];

  /** Each of a stage of the start. */
  const fallibleParts = [
    LmdbSiteStore,
    LmdbEventLog,
    Alarms,
    ArchiveService,
    CameraService,
    RecordingService,
    HealthService,
    DiscoveryService,
    UpdateService,
    ApiServer,
    RtspOutlet,
    ControlServer,
  ];

  it("stops all others, in order, and says what failed", async () => {
    const service = serviceInProcess(directory.join("data"));
    await service.start();
    vi.spyOn(ControlServer.prototype, "stop").mockRejectedValue(new Error("a read-only disk"));
    vi.spyOn(Alarms.prototype, "stop").mockRejectedValue(new Error("no alarm"));
    const stopped: string[] = [];
    for (const part of dataParts) {
      const { stop } = part.prototype;
      vi.spyOn(part.prototype, "stop").mockImplementation(async function (this: object) {
        stopped.push(part.name);
        await stop.call(this);
      });
    }
    await expect(service.stop()).rejects.toMatchObject({
      message: "a read-only disk; no alarm",
      errors: [new Error("a read-only disk"), new Error("no alarm")],
    });
    expect(stopped).toEqual(dataParts.map(({ name }) => name));
  });

  it.each(fallibleParts.map((part) => ({ name: part.name, part })))(
    "of which $name does not start stops it and those before it, without a fault",
    async ({ part }) => {
      const service = serviceInProcess(directory.join("data"));
      vi.spyOn(part.prototype as { start(): unknown }, "start").mockImplementation(() => {
        throw new Error("no start");
      });
      const stop = vi.spyOn(part.prototype, "stop");
      await expect(service.start()).rejects.toThrow("no start");
      expect(stop).toHaveBeenCalledOnce();
      await expect(Promise.resolve(stop.mock.results[0]?.value)).resolves.toBeUndefined();
    },
  );

  it("throws why the start failed, not what failed to stop after it", async () => {
    const service = serviceInProcess(directory.join("data"));
    vi.spyOn(ApiServer.prototype, "start").mockRejectedValue(new Error("no port"));
    vi.spyOn(Alarms.prototype, "stop").mockRejectedValue(new Error("no alarm"));
    const site = vi.spyOn(LmdbSiteStore.prototype, "stop");
    await expect(service.start()).rejects.toThrow("no port");
    expect(site).toHaveBeenCalledOnce();
  });
});

it("a service whose control socket cannot be removed closes its segments and keeps its events", async () => {
  const source = await PacedSource.start(1, SMALL_CLIP);
  const options = { dataDir: directory.join("data") };
  const socket = directory.join("data", "control.sock");
  let service = await Service.start(options);
  try {
    const ids = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    await service.recorded(ids, 2_000_000);
    rmSync(socket);
    mkdirSync(socket);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(service.log).toContain("the control socket cannot be removed");
    expect(readdirSync(directory.join("data", "volume", "open"))).toEqual([]);
    service = await Service.start(options);
    expect(await eventsOf(service, "serviceStopped")).toHaveLength(1);
  } finally {
    await service.stop();
    await source.stop();
  }
});
