// Own network: it makes interfaces.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { NetworkLan } from "../../support/camera/network-lan.js";
import {
  addFleet,
  Fleet,
  mostConnections,
  type TakenConnection,
  untilRecording,
} from "../../support/service/fleet.js";
import { pause, Service } from "../../support/service/service.js";

const missing = NetworkLan.missing();
/** `npm run torture -- cameras` has four times as many. */
const CAMERAS = Number(process.env.NVRD_TEST_FLEET_CAMERAS ?? 16);
/** From the switch's return to the last camera on disk: `npm run torture` measures it, as tests share the machine with others. */
const BACK_MS_MAX = Number(process.env.NVRD_TEST_FLEET_BACK_MS ?? PATIENCE_MS);
/** How long the switch stays away after that. */
const CUT_MS_MORE = Number(process.env.NVRD_TEST_FLEET_CUT_MS ?? 3000);
const OFF_MS = 4000;
/** Connections that one camera may have to take while it comes back: its stream, and the question what it is. */
const ONE_PER_SECOND_MAX = 3;
const ONE_MAX = 6;
/** Attempts at one camera while its ports are closed, on average. */
const REFUSED_PER_SECOND_MAX = 2;

let directory: TemporaryDirectory;
let service: Service;
let fleet: Fleet;
let ids: string[] = [];

describe.skipIf(missing !== undefined)(`${CAMERAS} cameras behind one switch${notHere(missing)}`, () => {
  beforeAll(async () => {
    directory = new TemporaryDirectory("fleet");
    [service, fleet] = await Promise.all([
      Service.start({ dataDir: directory.join("data") }),
      Fleet.start(CAMERAS),
    ]);
  });
  afterAll(async () => {
    await service?.stop();
    await fleet?.stop();
    directory?.remove();
  });

  it("are found, added with their login and recorded", async () => {
    const start = performance.now();
    ids = await addFleet(service, fleet);
    expect(ids).toHaveLength(CAMERAS);
    await untilRecording(service, ids, { withinMs: PATIENCE_MS });
    console.info(
      `${CAMERAS} cameras found, added and recorded in ${Math.round(performance.now() - start)} ms`,
    );
  });

  it("are all recorded again soon after the switch comes back, without a storm of connections", async () => {
    fleet.cut();
    await untilRecording(service, ids, { wanted: false, withinMs: PATIENCE_MS });
    await pause(CUT_MS_MORE);
    const before = (await fleet.connections()).length;
    fleet.mend();
    const tookMs = await untilRecording(service, ids, { withinMs: BACK_MS_MAX });
    checkNoStorm("the switch is back", tookMs, (await fleet.connections()).slice(before));
  });

  it("that all lose their power are tried in measure, and are recorded again soon after they have booted", async () => {
    await fleet.powerOff();
    await untilRecording(service, ids, { wanted: false, withinMs: PATIENCE_MS });
    const [before, beforeMs] = [fleet.refusedConnections(), performance.now()];
    await pause(OFF_MS);
    const refused = fleet.refusedConnections() - before;
    expect(refused).toBeGreaterThan(0);
    const offMs = performance.now() - beforeMs;
    expect((refused / CAMERAS) * (1000 / offMs)).toBeLessThan(REFUSED_PER_SECOND_MAX);
    await fleet.powerOn();
    const tookMs = await untilRecording(service, ids, { withinMs: BACK_MS_MAX });
    checkNoStorm("power is back", tookMs, await fleet.connections());
  });
});

function checkNoStorm(what: string, tookMs: number, taken: readonly TakenConnection[]): void {
  const { allPerSecond, onePerSecond, one } = mostConnections(taken);
  const words = `${taken.length} connections, at most ${allPerSecond} a second, ${onePerSecond} a second and ${one} in all to one camera`;
  console.info(`${what}: all recorded after ${Math.round(tookMs)} ms; ${words}`);
  expect(onePerSecond).toBeLessThanOrEqual(ONE_PER_SECOND_MAX);
  expect(one).toBeLessThanOrEqual(ONE_MAX);
}
