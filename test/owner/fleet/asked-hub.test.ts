import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Guid } from "../../../src/base/index.js";
import type { Hub } from "../../../src/fleet/index.js";
import { MemorySiteStore } from "../../support/api/api-fakes.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { until } from "../../support/base/until.js";
import type { FleetBox } from "../../support/fleet/fleet-bench.js";
import { noRollout } from "../../support/fleet/no-rollout.js";
import { boxesOf } from "../../support/fleet/recorder-at-hub.js";
import { siteOf } from "../../support/fleet/recorders-at-hub.js";
import { SharedHubs } from "../../support/fleet/shared-hubs.js";
import { H264_FORMAT, pictures } from "../../support/hls/hls-frames.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";
const LONG_BYTES = 24 * 1024 * 1024;

let bench: SharedHubs;
let recorder: ApiHarness;
let box: FleetBox;
/** The hub that the recorder is not connected to, and its API. */
let far: Hub;
let hub: ApiHarness;

beforeEach(async () => {
  bench = await SharedHubs.start(3);
  recorder = await startApi({ site: new MemorySiteStore(siteOf("North", { [GATE]: "Gate" })) });
  recorder.access.admission = { hub: "hub.example:7443", ceiling: "Look", mayUpdate: false };
  const [first] = bench.hubs;
  if (first === undefined) throw new Error("there are hubs");
  box = await bench.joined(first, {
    about: () => ({ name: "North", version: "1.2.3", health: "recording", revision: 1 }),
    openDoor: async (directory) => {
      const door = path.join(directory, "api.sock");
      return { path: door, ...(await recorder.server.openHubDoor(door)) };
    },
  });
  const near = (box.membership.state?.hubs ?? []).map((each) => each.hub);
  const found = bench.hubs.find(({ port }) => !near.includes(`127.0.0.1:${port}`));
  if (found === undefined) throw new Error(`the recorder is connected to all: ${near}`);
  far = found;
  hub = await startApi({
    boxes: () => boxesOf({ hub: far, rollout: noRollout }),
    site: new MemorySiteStore(siteOf("Hub", {})),
  });
  await until("the hub knows the recorder's cameras", () => far.catalogue.boxes.length === 1, {
    seen: () => [far.boxes(), far.catalogue.boxes],
  });
});

afterEach(async () => {
  await hub?.stop();
  await bench?.stop();
  await recorder?.stop();
});

describe("a hub that a recorder is not connected to", () => {
  it("shows its cameras live, by the hub that has its connection", async () => {
    recorder.streams.live(GATE).setState({ state: "active" });
    const client = new LiveSocketClient(hub.port, { path: `/api/live?${ROOT_QUERY}` });
    await client.greet();

    client.say({ type: "watch", id: 1, channel: GATE, tile: { width: 1920, height: 1080 } });
    await until("the camera is read", () => recorder.streams.live(GATE).atOnce === 1, {
      seen: () => client.answers,
    });
    for (const frame of pictures(30, { format: H264_FORMAT })) recorder.streams.live(GATE).publish(frame);

    await until("all pictures come", () => client.pictures().length === 30, { seen: () => client.answers });
    client.close();
  });

  it("answers for it as the recorder decides", async () => {
    const through = (rest: string) => hub.get(`/boxes/${box.id}${rest}`);

    expect((await through("/api/channels")).status).toBe(200);
    expect((await through("/configure/users")).status).toBe(403);
    expect((await through("/nothing")).status).toBe(404);
  });

  it("says that it is away when nobody has its connection any more", async () => {
    await box.membership.stop();
    await until("it is away", () => far.box(box.id)?.silence !== undefined, { seen: () => far.boxes() });

    expect((await hub.get(`/boxes/${box.id}/api/channels`)).status).toBe(503);
  });
});

describe("a long answer by another hub", () => {
  it("comes whole", async () => {
    const [first] = bench.hubs;
    if (first === undefined) throw new Error("there are hubs");
    const plain = await bench.joined(first);
    plain.longBytes = LONG_BYTES;
    const near = (plain.membership.state?.hubs ?? []).map((each) => each.hub);
    const other = bench.hubs.find(({ port }) => !near.includes(`127.0.0.1:${port}`));
    if (other === undefined) throw new Error("the recorder is connected to all");

    const { status, body } = await bench.ask(other, plain, "/long");

    expect([status, body.length]).toEqual([200, LONG_BYTES]);
  });
});
