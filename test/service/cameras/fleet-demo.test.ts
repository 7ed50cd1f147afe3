import { afterEach, expect, test } from "vitest";
import { RTSP_MODEL } from "../../../src/camera/device/models.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { Service } from "../../support/service/service.js";

interface Found {
  readonly Name: string;
  readonly Address: string;
  readonly Identity: string;
  readonly ChannelIds: readonly string[];
}

let service: Service | undefined;

const directory = forAllTests(() => new TemporaryDirectory("fleet-demo"));
afterEach(async () => {
  await service?.stop();
});

async function demo(): Promise<{ running: Service; found: Found[] }> {
  service = await Service.start({ dataDir: directory.join("data"), command: "demo" });
  const channels = new Set((await channelsOf(service)).map(({ Id }) => Id));
  const found = await service.json<Found[]>("/configure/discovery?interface=127.0.0.1&timeout=1");
  return {
    running: service,
    found: found.filter(({ ChannelIds }) => ChannelIds.some((id) => channels.has(id))),
  };
}

async function channelsOf(running: Service): Promise<{ Id: string; Name: string }[]> {
  return (await running.json<{ Channels: { Id: string; Name: string }[] }>("/configex?responsetype=json"))
    .Channels;
}

test("the demo's cameras are found by discovery, recorded, and found again at new ports by the next demo", async () => {
  const first = await demo();
  const names = ["Street H.264", "Street H.265", "Street MJPEG", "Street with sound"];
  expect(first.found.map(({ Name }) => Name).sort()).toEqual(names);
  const channels = await channelsOf(first.running);
  const ids = channels.map(({ Id }) => Id);
  await first.running.recorded(ids, 1_000_000);
  expect((await first.running.stop()).code).toBe(0);

  const second = await demo();
  const sinceUs = Date.now() * 1000;
  expect(await channelsOf(second.running)).toEqual(channels);
  expect(portsOf(second.found).map(([identity]) => identity)).toEqual(
    portsOf(first.found).map(([identity]) => identity),
  );
  expect(portsOf(second.found)).not.toEqual(portsOf(first.found));
  await second.running.recorded(ids, 1_000_000, undefined, sinceUs - 10_000_000);
});

test("a camera of a demo without ONVIF becomes the one that has it, with its recordings", async () => {
  const dataDir = directory.join("old");
  service = await Service.start({ dataDir });
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const old = {
    Name: "Street H.264",
    Description: "Built-in demo camera: H.264, 640x480",
    ServerBindingsSettings: { OwnerServerId: SenderId },
    ConnectionSettings: { ModelId: RTSP_MODEL.id, Hostname: "rtsp://127.0.0.1:9/street-h264" },
  };
  const request = { method: "POST", body: [old] } as const;
  const { CreatedObjectsIds } = await service.json<{ CreatedObjectsIds: string[] }>(
    "/configure/channels",
    request,
  );
  const [id = ""] = CreatedObjectsIds;
  await service.stop();
  service = await Service.start({ dataDir, command: "demo" });
  expect((await channelsOf(service)).filter(({ Name }) => Name === "Street H.264")).toMatchObject([
    { Id: id },
  ]);
  await service.recorded([id], 1_000_000);
});

function portsOf(found: readonly Found[]): [string, string][] {
  return found.map(({ Identity, Address }): [string, string] => [Identity, Address]).sort();
}
