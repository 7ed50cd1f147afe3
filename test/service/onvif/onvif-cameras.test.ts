import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/device/models.js";
import { Codec } from "../../../src/live/index.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { MAIN_PROFILE, OnvifCamera, SUB_PROFILE } from "../../support/camera/onvif-camera.js";
import { type ClipServer, startClipServer } from "../../support/rtsp/clip-server.js";
import { zooClip } from "../../support/rtsp/zoo/clips.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

const PASSWORD = "Camera-secret-9";

/** An installer's file in the data directory. */
const OWN_MODELS = {
  format: 1,
  manufacturers: [
    {
      name: "Gatemaker",
      aliases: [],
      models: [
        {
          id: "0f0f0f0f-0000-4000-8000-000000000001",
          name: "Gate camera",
          matches: [],
          connect: "path",
          altStream: false,
          multiChannel: false,
          ptz: false,
          soundReceiving: false,
          ioProcessing: false,
          mainFormats: ["H264"],
          altFormats: [],
          ports: { rtsp: 554 },
          paths: { Main: "/gate" },
        },
      ],
    },
  ],
};

interface ChannelStatus {
  readonly Status: string;
  readonly Cause: string | null;
  readonly Reason: string | null;
  readonly IsRecording: boolean;
}

let directory: TemporaryDirectory;
let service: Service;
let sources: PacedSource;
const devices: OnvifCamera[] = [];

beforeAll(async () => {
  directory = new TemporaryDirectory("onvif-cameras");
  directory.write({ "data/models.json": JSON.stringify(OWN_MODELS) });
  service = await Service.start({ dataDir: directory.join("data") });
  sources = await PacedSource.start(2, SMALL_CLIP);
});
afterEach(async () => {
  await Promise.all(devices.splice(0).map((device) => device.stop()));
});
afterAll(async () => {
  await service?.stop();
  await sources?.stop();
  directory?.remove();
});

async function device(options: Parameters<typeof OnvifCamera.start>[0] = {}): Promise<OnvifCamera> {
  const rtspUrl = ({ token }: { readonly token: string }) => sources.url(token === SUB_PROFILE.token ? 1 : 0);
  const camera = await OnvifCamera.start({ rtspUrl, login: "viewer", password: PASSWORD, ...options });
  devices.push(camera);
  return camera;
}

async function add(camera: OnvifCamera, connection: Record<string, unknown> = {}): Promise<string> {
  const { SenderId } = await service.json<{ SenderId: string }>("/configex?responsetype=json");
  const body = [
    {
      Name: "Gate",
      ServerBindingsSettings: { OwnerServerId: SenderId },
      ConnectionSettings: {
        ModelId: ONVIF_MODEL.id,
        Hostname: camera.address,
        Login: "viewer",
        Password: PASSWORD,
        ...connection,
      },
    },
  ];
  const request = { method: "POST", body } as const;
  const created = await service.json<{ CreatedObjectsIds: string[] }>("/configure/channels", request);
  return created.CreatedObjectsIds[0] ?? "";
}

function status(id: string): Promise<ChannelStatus> {
  return service.json<ChannelStatus>(`/api/channels/${id}/status`);
}

async function statusWith(id: string, cause: string): Promise<ChannelStatus> {
  for (let tries = 0; tries < 100; tries += 1) {
    const now = await status(id);
    if (now.Cause === cause) return now;
    await pause(100);
  }
  return await status(id);
}

it("the models of an installer's file stand among the others", async () => {
  const makers = await service.json<{ Name: string }[]>("/configure/devicemanufacturers");
  const names = makers.map(({ Name }) => Name);
  expect(names.slice(names.indexOf("Foscam"), names.indexOf("GeoVision") + 1)).toEqual([
    "Foscam",
    "Gatemaker",
    "GeoVision",
  ]);
});

/** A stream of another codec than the one that is assumed of a profile without a name for it. */
async function otherCodec(name: "h265" | "mjpeg"): Promise<ClipServer> {
  const { pictures, sets, width, height } = await zooClip(name);
  const startCode = Buffer.from([0, 0, 0, 1]);
  const annexB = (units: readonly Buffer[]): Buffer =>
    name === "mjpeg" ? Buffer.concat(units) : Buffer.concat(units.flatMap((unit) => [startCode, unit]));
  const units = pictures.map(({ units: parts, key }) => ({ bytes: annexB(parts), key }));
  const initialization = name === "mjpeg" ? Buffer.alloc(0) : annexB(sets);
  const codec = name === "mjpeg" ? Codec.MJPEG : Codec.H265;
  const [first] = units;
  if (first === undefined) throw new Error("the clip is empty");
  return await startClipServer([
    {
      format: { codec, width, height, initialization },
      length: units.length,
      timeUs: (index) => index * 100_000,
      unit: (index) => units[index % units.length] ?? first,
    },
  ]);
}

describe("a camera added by its address, login and password", () => {
  it.each([
    ["h265", "Hevc"],
    ["mjpeg", "MJPEG"],
  ] as const)("is recorded in %s where Media tells no codec of its profiles", async (codec, shown) => {
    const source = await otherCodec(codec);
    try {
      const profiles = [{ ...MAIN_PROFILE, media1Encoder: "unnamed" as const }];
      const id = await add(await device({ maker: "noname", profiles, rtspUrl: source.url }));
      await service.recorded([id], 1_000_000);
      const now = await service.json<ChannelStatus>(`/api/channels/${id}/status`);
      expect(now).toMatchObject({ Status: "Ok", IsRecording: true, Reason: null });
      interface Shown {
        readonly Channels: readonly { Id: string; ArchiveVideoFormat: string }[];
      }
      const { Channels } = await service.json<Shown>("/configex?responsetype=json");
      const { ArchiveVideoFormat = "" } = Channels.find(({ Id }) => Id === id) ?? {};
      expect(ArchiveVideoFormat).toBe(shown);
    } finally {
      await source.stop();
    }
  });

  it("is recorded, and shows the streams that it has", async () => {
    const id = await add(await device());
    await service.recorded([id], 1_000_000);
    await pause(1500);
    interface Shown {
      ConnectionSettings: { StreamSettings: Record<string, { VideoStreamEnabled: boolean }> };
    }
    const { ConnectionSettings } = await service.json<Shown>(`/configure/channels/${id}`);
    const shown = ConnectionSettings.StreamSettings;
    expect(shown.AlternativeStreamSettings?.VideoStreamEnabled).toBe(true);
    expect(shown.SecondAlternativeStreamSettings?.VideoStreamEnabled).toBe(false);
    expect(await status(id)).toMatchObject({ Status: "Ok", IsRecording: true });
    expect(service.log).not.toContain(PASSWORD);
  });

  it("is recorded though it speaks Media2 alone, and its clock is years off", async () => {
    const options = { media: "media2", clockOffsetMs: -10 * 365 * 86_400_000, auth: "token" } as const;
    const id = await add(await device({ ...options, profiles: [MAIN_PROFILE] }));
    await service.recorded([id], 1_000_000);
  });

  it("tells a wrong password from all else, and tries it once", async () => {
    const camera = await device({ auth: "digest" });
    const id = await add(camera, { Password: "not-the-password" });
    expect(await statusWith(id, "unauthorized")).toMatchObject({ Status: "Lost" });
    const { refusals } = camera;
    await pause(3000);
    expect([refusals, camera.refusals]).toEqual([1, 1]);
    expect(service.log).not.toContain("not-the-password");
  });

  it("tells that nothing answers, and is recorded as soon as something does", async () => {
    const camera = await device();
    await camera.stop();
    const id = await add(camera);
    expect((await statusWith(id, "unreachable")).Reason).toMatch(/^Main: /);
    await camera.listen();
    await service.recorded([id], 1_000_000);
  });
});
