import { expect, it } from "vitest";
import { CameraFailure } from "../../../src/camera/description/camera-failure.js";
import { DetailsReader } from "../../../src/camera/discovery/discovery-details.js";
import { openReader } from "../../../src/camera/discovery/discovery-open-reader.js";
import type { ListedDevice } from "../../../src/camera/discovery/discovery-table.js";
import type { DeviceInspector } from "../../../src/camera/index.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const DEVICE = { address: "192.0.2.7", port: 80, identity: "urn:uuid:1" } as ListedDevice;
const NEVER = new AbortController().signal;

/** Reads the same device as often as `failures` are long, and once more; answers how often it was asked. */
async function asked(...failures: readonly CameraFailure[]): Promise<{ asked: number; isKnown: boolean }> {
  let count = 0;
  const inspect: DeviceInspector = async () => {
    const failure = failures[count++];
    if (failure !== undefined) throw failure;
    return { manufacturer: "M", model: "X", profiles: [] } as unknown as Awaited<ReturnType<DeviceInspector>>;
  };
  const clock = new SimulatedClock();
  const details = new DetailsReader(openReader(inspect, clock), clock);
  for (let scan = 0; scan <= failures.length; scan++) await details.read(DEVICE, NEVER);
  return { asked: count, isKnown: details.detailsOf(DEVICE) !== undefined };
}

it("a device that did not answer in time is asked again by the next scan", async () => {
  const late = new CameraFailure("unreachable", "did not answer within 1.5 s");
  expect(await asked(late)).toEqual({ asked: 2, isKnown: true });
  expect(await asked(late, new CameraFailure("busy", "is starting"))).toEqual({ asked: 3, isKnown: true });
});

it("a device that wants a login is not asked again at once", async () => {
  const refused = new CameraFailure("unauthorized", "wants a login");
  expect(await asked(refused)).toEqual({ asked: 1, isKnown: false });
});
