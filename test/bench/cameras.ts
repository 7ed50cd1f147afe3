import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { NetworkLan } from "../support/camera/network-lan.js";
import { addFleet, Fleet, mostConnections, untilRecording } from "../support/service/fleet.js";
import { pause, Service } from "../support/service/service.js";
import type { Bench, BenchOptions, Figure } from "./figure.js";

const CAMERAS = 64;
const CUT_MS = 60_000;
const QUICK_CUT_MS = 10_000;
const WAIT_MS = 120_000;
const FOUND_SECONDS_MAX = 60;
const BACK_SECONDS_MAX = 15;

/** Discovery to the last camera on disk, and how soon all are back after their switch or their power failed. */
export const camerasBench: Bench = {
  name: "cameras",
  about:
    "64 ONVIF cameras: discovery to all recording, and all back after a switch or a power failure; as root",
  async *run(options) {
    const missing = NetworkLan.missing();
    if (missing !== undefined) throw new Error(`no network namespaces can be made here: ${missing}`);
    const directory = new TemporaryDirectory("bench-cameras");
    const service = await Service.start({ dataDir: directory.join("data") });
    const fleet = await Fleet.start(CAMERAS);
    try {
      yield* measure(service, fleet, options);
    } finally {
      await service.stop();
      await fleet.stop();
      directory.remove();
    }
  },
};

async function* measure(service: Service, fleet: Fleet, { quick }: BenchOptions): AsyncGenerator<Figure> {
  const start = performance.now();
  const ids = await addFleet(service, fleet);
  await untilRecording(service, ids, { withinMs: WAIT_MS });
  const found = `${CAMERAS} cameras: discovery to the last one recorded`;
  yield seconds(found, performance.now() - start, FOUND_SECONDS_MAX);

  fleet.cut();
  await untilRecording(service, ids, { wanted: false, withinMs: WAIT_MS });
  await pause(quick ? QUICK_CUT_MS : CUT_MS);
  const before = (await fleet.connections()).length;
  fleet.mend();
  const cutMs = await untilRecording(service, ids, { withinMs: WAIT_MS });
  yield seconds(`${CAMERAS} cameras: switch back to the last one recorded`, cutMs, BACK_SECONDS_MAX);
  const { one } = mostConnections((await fleet.connections()).slice(before));
  yield { name: "most connections to one camera meanwhile", value: one, unit: "" };

  await fleet.powerOff();
  await untilRecording(service, ids, { wanted: false, withinMs: WAIT_MS });
  await fleet.powerOn();
  const offMs = await untilRecording(service, ids, { withinMs: WAIT_MS });
  yield seconds(`${CAMERAS} cameras: booted to the last one recorded`, offMs, BACK_SECONDS_MAX);
}

function seconds(name: string, valueMs: number, atMost: number): Figure {
  return { name, value: valueMs / 1000, unit: "s", wanted: { atMost } };
}
