import { mkdirSync } from "node:fs";
import { describe, expect, it, type TestContext } from "vitest";
import { EXIT } from "../../../src/base/process/exit-status.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { FaultFuse, faultFuseMissing } from "../../support/disk/fault-fuse.js";
import { PowerCutDisk } from "../../support/disk/power-cut-disk.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

const DATA_DISK_BYTES = 256 * 1024 * 1024;
/** Long enough for each part to have met the fault. */
const FAULT_MS = 4_000;
/** A stop takes at most 30 s; a loaded machine is given some more. */
const STOP_MS_MAX = 40_000;
/** From the last line to the end of the process. */
const ENDS_MS = 3_000;

/** A service that records a camera, its data directory and its volume on disks of their own, removed when the test ends. */
async function startRecording({ onTestFinished }: TestContext) {
  const directory = new TemporaryDirectory("stop-failing");
  let volume: FaultFuse | undefined;
  let source: PacedSource | undefined;
  let service: Service | undefined;
  const disk = PowerCutDisk.make(directory.join("disk"), DATA_DISK_BYTES);
  onTestFinished(async () => {
    volume?.heal();
    await service?.kill();
    await source?.stop();
    await volume?.remove();
    await disk.remove();
    directory.remove();
  });
  mkdirSync(directory.join("fuse"));
  const fuse = await FaultFuse.mount(directory.join("fuse"));
  volume = fuse;
  const from = await PacedSource.start(1, SMALL_CLIP);
  source = from;
  const volumes = [{ path: fuse.mountPoint, mount: true, reserveBytes: 0 }];
  const dataDir = `${disk.path}/data`;
  const running = await Service.start({ dataDir, settings: { segmentSeconds: 5, volumes } });
  service = running;
  const ids = await running.addCameras([{ name: "Gate", url: from.url(0) }]);
  await running.recorded(ids, 3_000_000);
  return { running, disk, fuse };
}

const missing = faultFuseMissing() ?? PowerCutDisk.missing();
describe.skipIf(missing !== undefined)(`SIGTERM while disks fail${notHere(missing)}`, () => {
  it.concurrent.for([
    ["the volume hangs in every call", { "*": "hang" }, false],
    ["the data disk is gone and the volume answers EIO", { "*": "EIO" }, true],
    ["the data disk is gone and the volume hangs", { "*": "hang" }, true],
  ] as const)(
    "ends the service in order within its bound, with a status and a line: %s",
    async ([, faults, isDataLost], context) => {
      const { running, disk, fuse } = await startRecording(context);
      fuse.fault(faults);
      if (isDataLost) disk.cut();
      await pause(FAULT_MS);
      await stopsInOrder(running, fuse);
    },
  );

  it("ends the service in order within its bound while the data disk hangs in every call", async (context) => {
    const { running, data } = await startOnHangingData(context);
    data.fault({ "*": "hang" });
    await stopsInOrder(running, data);
  });
});

/** Signals, and checks that the service says its last word, and ends as soon as the kernel lets it. */
async function stopsInOrder(running: Service, fuse: FaultFuse): Promise<void> {
  const sinceMs = performance.now();
  running.process.signal("SIGTERM");
  // A call that hangs in the kernel keeps the dead process until it returns; the service has said its last word by then.
  await running.process.waitFor(/"stopped"|^nvrd: /m);
  await pause(ENDS_MS);
  fuse.heal();
  const exit = await running.process.exited;
  expect(performance.now() - sinceMs).toBeLessThan(STOP_MS_MAX + ENDS_MS);
  const end = running.log.slice(running.log.indexOf("stopping; a second"));
  expect(exit.signal).toBeNull();
  expect([EXIT.done, EXIT.failed]).toContain(exit.code);
  expect(end).not.toMatch(/^ +at /m);
  // A stop that could not keep everything says so in one line of its own.
  expect(end.match(/^nvrd: .*$/gm) ?? []).toHaveLength(exit.code === 0 ? 0 : 1);
}

/** A service that records a camera, with its data directory on a disk that can hang. */
async function startOnHangingData({ onTestFinished }: TestContext) {
  const directory = new TemporaryDirectory("stop-hanging");
  const [dataDisk, volume] = ["data", "volume"].map((name) => directory.join(name));
  if (dataDisk === undefined || volume === undefined) throw new Error("no directories");
  let data: FaultFuse | undefined;
  let source: PacedSource | undefined;
  let service: Service | undefined;
  onTestFinished(async () => {
    data?.heal();
    await service?.kill();
    await source?.stop();
    await data?.remove();
    directory.remove();
  });
  for (const path of [dataDisk, volume]) mkdirSync(path);
  const fuse = await FaultFuse.mount(dataDisk, { mapped: true });
  data = fuse;
  const from = await PacedSource.start(1, SMALL_CLIP);
  source = from;
  const settings = { segmentSeconds: 5, volumes: [{ path: volume, reserveBytes: 0 }] };
  const running = await Service.start({ dataDir: `${fuse.mountPoint}/data`, settings });
  service = running;
  const ids = await running.addCameras([{ name: "Gate", url: from.url(0) }]);
  await running.recorded(ids, 3_000_000);
  return { running, data: fuse };
}
