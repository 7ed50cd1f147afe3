import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { SeededRandom } from "../../support/base/seeded-random.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { pictureHashes } from "../../support/hls/hls-clips.js";
import { breaksInClip } from "../../support/media/clip-order.js";
import { GstRtspServer } from "../../support/rtsp/gst-rtsp-server.js";
import { pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const run = promisify(execFile);
const TILE = { width: 320, height: 240 };
const BASIC = `Authorization: Basic ${Buffer.from(`root:${ROOT_PASSWORD}`).toString("base64")}`;
/** Pictures that are looked at. */
const COUNT = 60;
/** `npm run torture -- seeks` asks for more. */
const SEEKS = Number(process.env.NVRD_TEST_SEEKS ?? 200);
/** Less than the recorder takes of one client. */
const SEEKS_A_SECOND = 40;
/**
 * Pictures that are waited for beyond them: fragments come in the order of decoding, so that the newest picture may be shown
 * behind some that have not come yet. A decoder holds 16 at most.
 */
const REORDERED_MAX = 16;

let directory: TemporaryDirectory;
let cameras: GstRtspServer;
let service: Service;
let ids: Record<"gate" | "door" | "roof" | "yard", string>;
const clients: LiveSocketClient[] = [];

beforeAll(async () => {
  directory = new TemporaryDirectory("live-socket-service");
  cameras = await GstRtspServer.start({ videos: ["h264", "h264b", "h265b", "mjpeg"] });
  service = await Service.start({ dataDir: directory.join("data") });
  const [gate = "", door = "", roof = "", yard = ""] = await service.addCameras([
    { name: "Gate", url: cameras.url("h264-mulaw"), sound: true },
    { name: "Door", url: cameras.url("h264b-aac"), sound: true },
    { name: "Roof", url: cameras.url("h265b"), format: "Hevc" },
    { name: "Yard", url: cameras.url("mjpeg-mulaw"), format: "MJPEG", sound: true },
  ]);
  ids = { gate, door, roof, yard };
});

afterAll(async () => {
  await service?.stop();
  await cameras?.stop();
  directory?.remove();
});

afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

function open(): LiveSocketClient {
  const client = new LiveSocketClient(service.httpPort, { path: "/api/live", headers: [BASIC] });
  clients.push(client);
  return client;
}

async function connect(codecs?: Parameters<LiveSocketClient["greet"]>[0]): Promise<LiveSocketClient> {
  const client = open();
  await client.greet(codecs);
  return client;
}

/**
 * The newest stream of a subscription once it has so many pictures, and so much sound: that comes behind them, the later the busier the
 * codec is.
 */
async function watched(
  client: LiveSocketClient,
  { count = COUNT + REORDERED_MAX, soundUs = 0 }: { count?: number; soundUs?: number } = {},
) {
  const newest = () => client.of("stream").at(-1);
  const fragments = () => client.newest(newest()?.feed ?? 0).filter(({ kind }) => kind === "fragment");
  const sounding = () =>
    fragments().reduce((sum, { sound, durationUs }) => sum + (sound ? durationUs : 0), 0);
  await until("the pictures", () => fragments().filter(({ sound }) => !sound).length >= count);
  await until("the sound", () => sounding() >= soundUs);
  const stream = newest();
  if (stream === undefined) throw new Error("no stream");
  const file = directory.join(`feed-${stream.feed}.mp4`);
  writeFileSync(file, client.movie(stream.feed));
  return { stream, file };
}

/** They are the pictures that the camera sends over and over, without one left out. */
async function expectClip(hashes: readonly string[], video: "h264" | "h264b" | "h265b"): Promise<void> {
  const file = directory.join(`${video}.raw`);
  writeFileSync(file, await cameras.clip(video));
  const format = video === "h265b" ? "hevc" : "h264";
  const clip = (await pictureHashes(file, 1000, ["-f", format])).hashes;
  expect(clip.length).toBeGreaterThan(50);
  expect(breaksInClip(hashes, clip)).toEqual([]);
}

/** Seconds of sound that ffmpeg decodes without a complaint. */
async function secondsOfSound(file: string, rate: number): Promise<number> {
  const args = ["-v", "error", "-i", file, "-map", "0:a", "-f", "s16le", "-ac", "1", "-"];
  const { stdout, stderr } = await run("ffmpeg", args, { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 });
  expect(stderr.toString()).toBe("");
  return stdout.length / 2 / rate;
}

describe("the live socket of the whole service", () => {
  it.each([
    ["gate", "h264", "flac", 8000],
    ["door", "h264b", "mp4a.40.2", 16_000],
  ] as const)("shows and sounds all of the camera %s", async (name, video, codec, rate) => {
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: ids[name], tile: TILE, sound: true });
    await until("sound", () => client.of("stream").at(-1)?.sound === true);
    const { stream, file } = await watched(client, { soundUs: 2_000_000 });
    expect(stream).toMatchObject({ source: "main", ...TILE, sound: true });
    expect(stream.mime).toContain(codec);
    const { hashes, complaints } = await pictureHashes(file, COUNT);
    expect(complaints).toBe("");
    expect(hashes.length).toBe(COUNT);
    await expectClip(hashes, video);
    expect(await secondsOfSound(file, rate)).toBeGreaterThan(1.5);
  });

  it("shows H.265 to a client that plays it", async () => {
    const client = await connect(["avc1", "hvc1"]);
    client.say({ type: "watch", id: 1, channel: ids.roof, tile: TILE });
    const { stream, file } = await watched(client);
    expect(stream.mime).toContain("hvc1.");
    const { hashes } = await pictureHashes(file, COUNT);
    await expectClip(hashes, "h265b");
  });

  it.each([["roof"], ["yard"]] as const)(
    "transcodes %s for two clients that play H.264 alone",
    async (name) => {
      const [one, other] = [await connect(), await connect()];
      for (const client of [one, other])
        client.say({ type: "watch", id: 1, channel: ids[name], tile: TILE, sound: true });
      const { stream, file } = await watched(one);
      expect(stream).toMatchObject({ source: "transcode", reason: "codec-not-playable", ...TILE });
      const { hashes, complaints } = await pictureHashes(file, COUNT);
      expect([complaints, hashes.length]).toEqual(["", COUNT]);
      await watched(other);
      expect(other.of("stream").at(-1)?.feed).toBe(stream.feed);
    },
  );

  it("is as its page says, to a program written from that page alone", async () => {
    const file = directory.join("independent.mp4");
    const program = join(REPOSITORY_ROOT, "test/support/service/live_socket_client.py");
    const args = [program, `${service.httpPort}`, `root:${ROOT_PASSWORD}`, ids.gate, file];
    const { stdout } = await run("python3", args);
    const { faults, streams, repeated, written } = JSON.parse(stdout) as {
      readonly faults: readonly string[];
      readonly streams: readonly { readonly feed: number; readonly sound: boolean }[];
      readonly repeated: boolean;
      readonly written: { readonly pictures: number };
    };
    expect(faults).toEqual([]);
    // Sound comes and goes under the number of the feed, and the newest group of pictures comes again.
    expect(streams.map(({ sound }) => sound)).toEqual([false, true, false]);
    expect(new Set(streams.map(({ feed }) => feed)).size).toBe(1);
    expect(repeated).toBe(true);
    const { hashes, complaints } = await pictureHashes(file, COUNT);
    expect([complaints, hashes.length]).toEqual(["", Math.min(COUNT, written.pictures)]);
    expect(await secondsOfSound(file, 8000)).toBeGreaterThan(0.5);
  });

  it("hands a picture on while it is new", async () => {
    const client = await connect();
    client.say({ type: "watch", id: 1, channel: ids.gate, tile: TILE });
    await watched(client, { count: 20 });
    // The read tick of a camera that nobody watches is 100 ms and more. A busy machine may hold up a second's pictures, not those of each.
    await expect.poll(() => medianDelayMs(client.pictures().slice(-25))).toBeLessThan(60);
  });
});

function medianDelayMs(pictures: ReturnType<LiveSocketClient["pictures"]>): number {
  const delays = pictures
    .map(({ timeUs, handoverUs }) => (handoverUs - timeUs) / 1000)
    .toSorted((one, two) => one - two);
  return delays[Math.floor(delays.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** Resident memory of the service, MB. */
function residentMb(): number {
  const status = readFileSync(`/proc/${service.process.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

describe("hostile clients of the live socket", () => {
  it("neither end the service nor fill its memory", async () => {
    const random = new SeededRandom(5);
    const good = await connect();
    good.say({ type: "watch", id: 1, channel: ids.gate, tile: TILE });
    await watched(good, { count: 5 });
    const before = residentMb();
    for (let round = 0; round < 20; round += 1) {
      const garbage = open();
      garbage.sendFrame(
        random.below(256),
        Buffer.from(Array.from({ length: random.below(400) }, () => random.below(256))),
      );
      const broken = open();
      await until("open", () => broken.isOpen || broken.isClosed);
      broken.socket.write(Buffer.from(Array.from({ length: 2000 }, () => random.below(256))));
      const flood = await connect();
      for (let count = 0; count < 2000; count += 1) {
        const id = 1 + random.below(200);
        flood.say({
          type: random.pick(["watch", "change", "leave"]),
          id,
          channel: ids.gate,
          tile: TILE,
        } as never);
      }
      const deaf = await connect();
      for (let id = 1; id <= 60; id += 1)
        deaf.say({ type: "watch", id, channel: ids.door, tile: TILE, sound: true });
      deaf.socket.pause();
    }
    const from = good.pictures().length;
    await until("pictures for others", () => good.pictures().length >= from + 50);
    expect(good.of("dropped")).toEqual([]);
    expect(residentMb() - before).toBeLessThan(120);
    expect((await service.get("/api/health")).status).toBe(200);
  });

  it.each<[string, (client: LiveSocketClient) => void]>([
    ["compressed frames", (client) => client.sendFrame(0xc1, Buffer.from("{}"))],
    ["an unknown opcode", (client) => client.sendFrame(0x83, Buffer.from("{}"))],
    ["a ping that is too long", (client) => client.sendFrame(0x89, Buffer.alloc(126))],
    ["a message in pieces without an end", (client) => sendPieces(client, 40, 1000)],
    ["a message of many empty pieces, and then too long", (client) => sendPieces(client, 5000, 8)],
    ["a frame that says it has terabytes", (client) => client.socket.write(TERABYTES)],
    ["frames without a mask", (client) => client.socket.write(Buffer.concat(Array(3).fill(UNMASKED)))],
  ])("are disconnected, and no one else is: %s", async (_, attack) => {
    const good = await connect();
    good.say({ type: "watch", id: 1, channel: ids.gate, tile: TILE });
    await watched(good, { count: 5 });
    const bad = await connect();
    attack(bad);
    await until("disconnected", () => bad.isClosed);
    const from = good.pictures().length;
    await until("pictures for others", () => good.pictures().length >= from + 10);
    expect([good.isClosed, good.of("dropped")]).toEqual([false, []]);
  });

  it(`may seek ${SEEKS} times: answers stay few, and others lose nothing`, {
    timeout: 120_000 + SEEKS * 100,
  }, async () => {
    await service.recorded([ids.gate], 4_000_000);
    const good = await connect();
    good.say({ type: "watch", id: 1, channel: ids.gate, tile: TILE });
    await watched(good, { count: 5 });
    const seeker = await connect();
    const from = Date.now() - 3000;
    seeker.say({ type: "play", from, watches: [{ id: 1, channel: ids.gate, tile: TILE }] });
    const before = residentMb();
    for (let count = 0; count < SEEKS && !seeker.isClosed; count += 1) {
      seeker.say({ type: "seek", to: from + ((count * 5) % 3000) });
      if ((count + 1) % SEEKS_A_SECOND === 0) await pause(1000);
    }
    seeker.say({ type: "seek", to: from });
    const last = () => seeker.of("playback").at(-1);
    await until("the last one", () => last()?.time !== undefined && seeker.pictures().length > 0);
    expect([seeker.isClosed, good.of("dropped")]).toEqual([false, []]);
    expect(residentMb() - before).toBeLessThan(60);
  });
});

/**
 * A text frame of ten letters without a mask, which the library does not look for: it takes the first letters for one, and then
 * letters for the head of a frame, which sets bits that nobody may set.
 */
const UNMASKED = Buffer.from([0x81, 0x0a, ...Buffer.from("xxxxxxxxxx")]);

/** The head of a masked text frame of 2^40 bytes. */
const TERABYTES = Buffer.from([0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4]);

/** A text in so many pieces, none of which is the last. */
function sendPieces(client: LiveSocketClient, count: number, bytes: number): void {
  for (let piece = 0; piece < count; piece += 1)
    client.sendFrame(piece === 0 ? 0x01 : 0x00, Buffer.alloc(bytes, "x"));
}
