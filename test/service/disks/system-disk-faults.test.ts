import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { type Fault, FaultFuse, faultFuseMissing } from "../../support/disk/fault-fuse.js";
import { nowUs, recordedBeyond, until, WAIT_MS } from "../../support/event/service-events.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

const CAMERAS = 2;
const SEGMENT_SECONDS = 5;
const GOP_US = (SMALL_CLIP.gopFrames / SMALL_CLIP.fps) * 1_000_000;
const FAULTS: readonly Fault[] = ["EIO", "ENOSPC", "short"];
/** Times that the disk fails; `npm run torture -- system-disk` has more. */
const TIMES = Number(process.env.NVRD_TEST_SYSTEM_DISK_FAULTS ?? FAULTS.length);
const FAILING_MS = 1500;
/** So often the service is stopped and started: a damaged heap may show only then. */
const TIMES_A_RUN = 10;
const TEST_MS = 60_000 + TIMES * 30_000;

const missing = faultFuseMissing();

let directory: TemporaryDirectory;
let disk: FaultFuse;
let source: PacedSource;
let service: Service;
let ids: string[];

async function start(): Promise<void> {
  const settings = {
    segmentSeconds: SEGMENT_SECONDS,
    volumes: [{ path: directory.join("volume"), reserveBytes: 0 }],
  };
  service = await Service.start({ dataDir: disk.mountPoint, settings, startTimeoutMs: WAIT_MS });
}

/** Why a camera could not be added; undefined when it is in the configuration, on the disk. */
async function refusalOf(name: string): Promise<string | undefined> {
  const added = service.addCameras([{ name, url: source.url(0), archivingDisabled: true }]);
  return await added.then(
    () => undefined,
    (error: unknown) => String(error).slice(0, 500),
  );
}

beforeAll(async () => {
  if (missing !== undefined) return;
  directory = new TemporaryDirectory("system-disk-faults");
  disk = await FaultFuse.mount(directory.path, { mapped: true });
  source = await PacedSource.start(CAMERAS, SMALL_CLIP);
  await start();
  ids = await service.addCameras([0, 1].map((at) => ({ name: `Camera ${at}`, url: source.url(at) })));
  await service.recorded(ids, 3 * GOP_US, WAIT_MS);
}, TEST_MS);

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  await disk?.remove();
  directory?.remove();
});

describe.skipIf(missing !== undefined)(
  `a service whose system disk refuses writes${notHere(missing)}`,
  () => {
    it(`lives and records through ${TIMES} times of it`, { timeout: TEST_MS }, async () => {
      for (let time = 0; time < TIMES; time += 1) {
        const fault = FAULTS[time % FAULTS.length] ?? "EIO";
        disk.fault(fault === "short" ? { write: fault } : { write: fault, fsync: fault });
        const deadline = performance.now() + FAILING_MS;
        for (let round = 0; performance.now() < deadline; round += 1) {
          await refusalOf(`Camera ${time}.${round}`);
          await pause(100);
        }
        disk.heal();
        expect(service.process.exit, `time ${time}, ${fault}`).toBeUndefined();
        if (time % TIMES_A_RUN === TIMES_A_RUN - 1) {
          expect(await service.stop(), `time ${time}, ${fault}`).toEqual({ code: 0, signal: null });
          await start();
        }
      }
      const healedUs = nowUs();
      await recordedBeyond(service, ids, healedUs + GOP_US);
      // A change waits until the configuration has been read again.
      let refusal: string | undefined = "";
      await until(service, "a change of the configuration", async () => {
        refusal = await refusalOf("After the faults");
        return refusal === undefined;
      }).catch((error: unknown) => expect(refusal, String(error)).toBeUndefined());
      expect(await service.stop()).toEqual({ code: 0, signal: null });
    });
  },
);
