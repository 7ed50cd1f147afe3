import { readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { clipLane } from "../../../src/demo/clip-player.js";
import { type Clip, parseClip } from "../../../src/demo/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { ffmpeg } from "../../support/camera/camera-clips.js";
import { eventsOf, newEvents, recordedBeyond, until } from "../../support/event/service-events.js";
import { type ClipServer, startClipServer } from "../../support/rtsp/clip-server.js";
import { MemoryGroup } from "../../support/service/memory-group.js";
import { Service } from "../../support/service/service.js";

const missing = MemoryGroup.missing();
const GROUP_BYTES = 512 * 1024 * 1024;
const CAMERAS = 16;
/** Of each camera. */
const STALLED_VIEWERS = 3;
/** Cameras that share a server play the same clip. */
const SERVERS = 4;
const FRAMES_PER_SECOND = 10;

interface Health {
  readonly Problems: readonly { readonly Code: string; readonly Text: string }[];
  readonly Memory: {
    readonly LimitBytes: number;
    readonly LimitedBy: string;
    readonly LeftOut: readonly string[];
    readonly SlabBytesMax: number;
  };
}

let directory: TemporaryDirectory;
let servers: ClipServer[] = [];
let group: MemoryGroup;
let service: Service;
let ids: string[];

/** Four seconds of 1080p at 4 Mbit/s, one GOP. */
async function encodedClip(): Promise<Clip> {
  const file = directory.join("clip.h264");
  const source = `testsrc2=size=1920x1080:rate=${FRAMES_PER_SECOND}:duration=4,noise=alls=12:allf=t`;
  const encoder =
    "-c:v libx264 -preset ultrafast -tune zerolatency -b:v 4M -maxrate 4M -bufsize 4M -g 40".split(" ");
  const form = ["-x264-params", "aud=1:repeat-headers=1:scenecut=0", "-f", "h264"];
  await ffmpeg(["-f", "lavfi", "-i", source, ...encoder, ...form, file]);
  const settings = { name: "clip", codec: Codec.H264, width: 1920, height: 1080 } as const;
  return parseClip({ ...settings, framesPerSecond: FRAMES_PER_SECOND }, await readFile(file));
}

/** The service in the control group, with all cameras added. */
async function start(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  service = await Service.start({
    dataDir: directory.join(`data-${group.path.split("-").at(-1)}`),
    group,
    settings,
  });
  const cameras = Array.from({ length: CAMERAS }, (_, at) => ({
    name: `c${at}`,
    url: servers[at % SERVERS]?.url ?? "",
  }));
  ids = await service.addCameras(cameras);
  await service.recorded(ids, 1_000_000);
}

const health = () => service.json<Health>("/api/health");
const codesOf = ({ Problems }: Health) => Problems.map(({ Code }) => Code);

describe.skipIf(missing !== undefined)(
  `a control group of 512 MiB with ${CAMERAS} cameras${notHere(missing)}`,
  () => {
    beforeAll(async () => {
      directory = new TemporaryDirectory("memory");
      const clip = await encodedClip();
      servers = await Promise.all(Array.from({ length: SERVERS }, () => startClipServer([clipLane(clip)])));
    });

    afterAll(async () => {
      for (const server of servers) await server.stop();
      directory?.remove();
    });

    beforeEach(() => {
      group = new MemoryGroup(GROUP_BYTES);
    });

    afterEach(async () => {
      await service?.stop();
      group.remove();
    });

    it("records all of them, and when more pictures are wanted than fit says that memory is short", async () => {
      await start();
      expect((await health()).Memory).toMatchObject({ LimitBytes: GROUP_BYTES, LimitedBy: "control group" });
      const statuses: (number | undefined)[] = [];
      for (const id of ids) {
        // They take nothing: their frames wait as long as there is memory for them.
        for (let viewer = 0; viewer < STALLED_VIEWERS; viewer++)
          (await service.open(`/video?channelid=${id}`)).on("error", () => undefined);
        const stills = await service.get(`/site?channelid=${id}`);
        const live = await service.open(`/mobile?channelid=${id}&resolutionx=1920&resolutiony=1080&fps=10`);
        live.resume();
        live.on("error", () => live.destroy());
        const hls = await service.get(`/hls?channelid=${id}`);
        statuses.push(stills.status, live.statusCode, hls.status);
      }
      expect([...new Set(statuses)].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      await until(
        service,
        "word of it",
        async () => statuses.includes(503) || codesOf(await health()).includes("memory-short"),
      );
      if (!statuses.includes(503))
        expect((await newEvents(service, "memoryShort"))[0]?.EventComment).toContain("control group");
      await recordedBeyond(service, ids, Date.now() * 1000 + 2_000_000);
      expect({ kills: group.kills, exit: service.process.exit }).toEqual({ kills: 0, exit: undefined });
      expect(group.residentBytes).toBeLessThan(GROUP_BYTES);
    });

    it("with less than it needs it says so, and records all of them without a frame left out for want of memory", async () => {
      await start({ memoryMax: "300 MB" });
      const report = await health();
      expect(report.Memory).toMatchObject({ LimitBytes: 300e6, LimitedBy: "setting" });
      expect(codesOf(report)).toContain("memory-small");
      await recordedBeyond(service, ids, Date.now() * 1000 + 6_000_000);
      const { Memory } = await health();
      expect(Memory.LeftOut).not.toContain("frames");
      expect(await eventsOf(service, "memoryShort")).toEqual([]);
      expect(group.kills).toBe(0);
    });
  },
);
