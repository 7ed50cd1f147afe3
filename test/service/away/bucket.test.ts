import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../../src/away/plan/manifest.js";
import { bytesBody } from "../../../src/away/s3/object-body.js";
import { S3Client } from "../../../src/away/s3/s3-client.js";
import { S3Error } from "../../../src/away/s3/s3-error.js";
import { SystemClock } from "../../../src/base/time/clock.js";
import type { Timeline } from "../../../src/contract/answer/timeline.js";
import { s3Target } from "../../support/away/away-samples.js";
import { GATEWAY_KEY, GATEWAY_SECRET, noGateway, RadosGateway } from "../../support/away/rados-gateway.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { pictureHashes } from "../../support/hls/hls-clips.js";
import { ask } from "../../support/onvif/soap-questions.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, type Fragment, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const WAIT_MS = 120_000;
const BOXES = ["Harbour", "Station"] as const;
/** Pictures of `/video` that are compared. */
const PICTURES = 60;

interface Span {
  readonly fromUs: number;
  readonly toUs: number;
}

interface Doors {
  readonly fragments: readonly Fragment[];
  readonly exported: string;
  readonly video: readonly string[];
  readonly site: string;
}

interface Configuration {
  readonly Timestamp: string;
  readonly RevNum: number;
  readonly SenderId: string;
  readonly Channels: readonly { readonly Id: string; readonly Name: string }[];
  readonly RootSecObject: {
    readonly ChildSecObjects: readonly {
      readonly Id: string;
      readonly Name: string;
      readonly ChildChannels: readonly string[];
    }[];
  };
}

let directory: TemporaryDirectory;
let gateway: RadosGateway;
let bucket: S3Client;
let source: PacedSource;
let readers: Service[] = [];
const ids: string[] = [];
const spans: Span[] = [];
const before: Doors[] = [];

/** Two recorders have sent what they recorded, and are gone with their disks; servers without cameras show it. */
describe.skipIf(noGateway !== undefined)(`an archive that is a bucket${notHere(noGateway)}`, () => {
  beforeAll(async () => {
    directory = new TemporaryDirectory("nvrd-bucket-service");
    [gateway, source] = await Promise.all([RadosGateway.start(), PacedSource.start(2, SMALL_CLIP)]);
    const target = s3Target({
      ...{ endpoint: gateway.endpoint, prefix: "" },
      ...{ accessKeyId: GATEWAY_KEY, secretAccessKey: GATEWAY_SECRET },
    });
    bucket = new S3Client({ target, clock: new SystemClock() });
    await bucket.put("", bytesBody(new Uint8Array()));
    writeFileSync(directory.join("secret"), `${GATEWAY_SECRET}\n`);
    await Promise.all(BOXES.map((_name, at) => recordAndSend(at)));
    readers = await Promise.all([0, 1].map((at) => startReader(`reader-${at}`)));
  }, 4 * WAIT_MS);

  afterAll(async () => {
    await Promise.all(readers.map((reader) => reader.stop()));
    bucket?.close();
    await source?.stop();
    await gateway?.stop();
    directory?.remove();
  });

  it("has the channels of all recorders, each in the folder of its own, the same on each server", async () => {
    const [one, other] = await Promise.all(readers.map(configuration));
    expect(one?.Channels.map(({ Id, Name }) => [Id, Name])).toEqual(ids.map((id, at) => [id, `Gate ${at}`]));
    const folders = one?.RootSecObject.ChildSecObjects ?? [];
    expect(folders.map(({ Name, ChildChannels }) => [Name, ChildChannels])).toEqual(
      BOXES.map((name, at) => [name, [ids[at]]]),
    );
    expect(other?.Channels).toEqual(one?.Channels);
    expect(other?.RootSecObject).toEqual(one?.RootSecObject);
    expect(other?.SenderId).toBe(one?.SenderId);
  });

  it.each([0, 1])("gives the recordings of recorder %i through every door as it did itself", async (at) => {
    for (const reader of readers) expect(await doors(reader, at)).toEqual(before[at]);
  });

  it("draws the timeline of both recorders", async () => {
    for (const [at, span] of spans.entries()) {
      const time = `from=${span.fromUs / 1000}&to=${span.toUs / 1000}&steps=100`;
      const path = `/api/timeline?channels=${ids[at]}&${time}`;
      const [one, other] = await Promise.all(readers.map((reader) => reader.json<Timeline>(path)));
      const whole = [{ From: span.fromUs / 1000, To: span.toUs / 1000 }];
      expect(one?.Channels[0]).toMatchObject({ Runs: whole, Away: whole });
      expect(other?.Channels).toEqual(one?.Channels);
    }
  });

  it("says that it has no live video", async () => {
    const [reader] = readers;
    for (const door of ["video", "mobile", "hls", "site"]) {
      const answer = await reader?.get(`/${door}?channelid=${ids[0]}`);
      expect({ door, status: answer?.status }).toEqual({ door, status: 404 });
      expect(answer?.body.toString()).toMatch(/recordings from a bucket, and has no live video/);
    }
  });

  it.each<[string, (reader: Service, rtspPort: number) => Promise<void>]>([
    ["/video", async (reader) => expect((await doors(reader, 0)).video).toEqual(before[0]?.video)],
    ["RTSP", describedOverRtsp],
    ["ONVIF", replayOverOnvif],
    ["HLS", playedOverHls],
    ["/mobile", pictureOfMobile],
    ["the search for motion", searchedForMotion],
  ])("opens %s on a server that has read nothing yet", async (name, door) => {
    const [rtspPort = 0] = await freePorts(1);
    const dataDir = directory.join(`cold ${name}`.replaceAll(/\W/g, "-"));
    const settings = { ...readerSettings(), onvifUsers: ["root"] };
    const reader = await Service.start({ dataDir, rtspPort, settings });
    try {
      await configuration(reader);
      await door(reader, rtspPort);
    } finally {
      await reader.stop();
    }
  });

  it("dates its configuration by the bucket", async () => {
    const times = await Promise.all(
      readers.slice(0, 2).map(async (reader) => (await configuration(reader)).Timestamp),
    );
    const day = new Date((spans[1]?.fromUs ?? 0) / 1000).toISOString().slice(0, 10);
    expect(times).toEqual([expect.stringContaining(day), times[0]]);
  });

  it("takes its own configuration back, and says before what it would refuse", async () => {
    const dataDir = directory.join("reader-import");
    const reader = await Service.start({ dataDir, settings: readerSettings() });
    try {
      await configuration(reader);
      const path = "/api/system/configuration";
      const Document = await reader.json<{ site: { cameras: object[]; server: object } }>(path);
      const send = (body: object, to = path) => reader.get(to, { method: "POST", body });
      const same = await send({ Document, DryRun: true });
      expect([same.status, JSON.parse(same.body.toString()).IsChanged]).toEqual([200, false]);
      const elsewhere = await readers[1]?.get(path, { method: "POST", body: { Document, DryRun: true } });
      expect([elsewhere?.status, elsewhere?.body.toString()]).toEqual([200, expect.any(String)]);
      const others = { ...Document, site: { ...Document.site, cameras: [] } };
      for (const DryRun of [true, false]) {
        const refused = await send({ Document: others, DryRun });
        expect([refused.status, refused.body.toString()]).toEqual([
          403,
          expect.stringMatching(/channels and folders cannot be changed here.*ask the recorder itself/s),
        ]);
      }
      const { RevNum: before } = await configuration(reader);
      const group = { Name: "Guests" };
      await reader.json("/configure/groups", { method: "POST", body: [group] });
      const history = `${path}/history`;
      type Entry = { readonly Revision: number; readonly IsCurrent: boolean };
      const entries = await reader.json<readonly Entry[]>(history);
      expect(entries.map(({ IsCurrent }) => IsCurrent)).toEqual([true, ...entries.slice(1).map(() => false)]);
      for (const DryRun of [true, false]) {
        const reverted = await send({ Revision: entries[1]?.Revision, DryRun }, `${path}/revert`);
        expect([reverted.status, JSON.parse(reverted.body.toString()).IsChanged]).toEqual([200, true]);
      }
      const { RevNum, Channels } = await configuration(reader);
      expect([RevNum, Channels.length]).toEqual([before, BOXES.length]);
    } finally {
      await reader.stop();
    }
  });

  it("refuses to change what is the recorders'", async () => {
    const [reader] = readers;
    const refused = [
      ["GET", "/configure/discovery"],
      ["POST", "/configure/channels"],
      ["DELETE", `/configure/channels/${ids[0]}`],
      ["POST", `/api/channels/${ids[0]}/recording`],
      ["POST", `/api/channels/${ids[0]}/protected`],
      ["POST", "/configure/away"],
      ["POST", "/api/away/locks"],
      ["POST", "/api/disks/format"],
      ["POST", "/api/tasks"],
    ] as const;
    for (const [method, path] of refused) {
      const answer = await reader?.get(path, method === "GET" ? {} : { method, body: {} });
      expect({ path, status: answer?.status }).toEqual({ path, status: 403 });
      expect(answer?.body.toString()).toMatch(/ask the recorder itself/);
    }
  });

  it("does not start with the data directory of a recorder", async () => {
    const reader = await Service.launch({ dataDir: directory.join("box-0"), settings: readerSettings() });
    expect((await reader.process.exited).code).not.toBe(0);
    expect(reader.log).toMatch(/is the data directory of a recorder with cameras: use another/);
  });

  it("says that it cannot be read, and when to ask again, where its storage is away", {
    timeout: 2 * WAIT_MS,
  }, async () => {
    await gateway.stop();
    const reader = await startReader("without-storage");
    readers.push(reader);
    for (const path of ["/configex", `/archivefragments?channelid=${ids[0]}`]) {
      const { status, headers, body } = await reader.get(path);
      expect({ path, status }).toEqual({ path, status: 503 });
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      expect(body.toString()).toMatch(/recorders in the bucket nvrd are not known yet/);
    }
    const codes = async () => {
      const { Problems } = await reader.json<{ Problems: { Code: string }[] }>("/api/health");
      return Problems.map(({ Code }) => Code);
    };
    // Until the first answer of the storage it is only "not known yet".
    await expect.poll(codes, { timeout: WAIT_MS }).toContain("bucket-failing");
    expect(await codes()).not.toContain("no-volume");
    expect(reader.log).not.toContain(GATEWAY_SECRET);
  });
});

async function describedOverRtsp(_reader: Service, rtspPort: number): Promise<void> {
  const client = await RawRtspClient.connect(rtspPort);
  const login = `login=root&password=${createHash("md5").update(ROOT_PASSWORD).digest("hex")}`;
  const url = `rtsp://127.0.0.1:${rtspPort}/rtsp?channelid=${ids[0]}&mode=archive&${login}`;
  const { status, body } = await client.request("DESCRIBE", url);
  expect([status, body]).toEqual([200, expect.stringMatching(/a=range:clock=/)]);
  client.close();
}

async function replayOverOnvif(reader: Service): Promise<void> {
  const origin = `http://127.0.0.1:${reader.httpPort}`;
  const login = { login: "root", password: ROOT_PASSWORD };
  const summary = await ask(origin, "search_service", "GetRecordingSummary", { login });
  expect([summary.fault, summary.text]).toEqual([
    "",
    expect.stringContaining(`<tt:NumberRecordings>${BOXES.length}<`),
  ]);
  const content = `<m:StreamSetup/><m:RecordingToken>${ids[0]}</m:RecordingToken>`;
  const replay = await ask(origin, "replay_service", "GetReplayUri", { login, content });
  expect(replay.text).toContain(`channelid=${ids[0]}`);
}

async function playedOverHls(reader: Service): Promise<void> {
  const { status, body } = await reader.get(`/hls?${placeOf(0)}`);
  expect([status, body.toString()]).toEqual([200, expect.stringMatching(/^[0-9a-f]{40}\.m3u8$/)]);
  const address = `http://127.0.0.1:${reader.httpPort}/hls/${body.toString()}`;
  const { hashes, complaints } = await pictureHashes(address, PICTURES);
  expect([complaints, hashes.length]).toEqual(["", PICTURES]);
}

async function pictureOfMobile(reader: Service): Promise<void> {
  const { status, headers, body } = await reader.get(`/mobile?${placeOf(0)}&oneframeonly=true`);
  expect([status, body.toString("latin1").slice(0, 200)]).toEqual([200, expect.stringContaining("JFIF")]);
  expect(headers["content-type"]).toContain("multipart");
}

async function searchedForMotion(reader: Service): Promise<void> {
  const { fromUs, toUs } = spans[0] ?? { fromUs: 0, toUs: 0 };
  const question = { Channel: ids[0], From: fromUs / 1000, To: toUs / 1000, Pictures: true };
  const { status, body } = await reader.get("/api/motionsearch", { method: "POST", body: question });
  expect([status, body.toString()]).toEqual([202, expect.stringContaining('"Id"')]);
  const { Id } = JSON.parse(body.toString()) as { Id: string };
  const state = async () => {
    const { State, Error: error } = await reader.json<{ State: string; Error: string | null }>(
      `/api/motionsearch/${Id}`,
    );
    return [State, error];
  };
  await expect.poll(state, { timeout: WAIT_MS }).toEqual(["done", null]);
}

/** A recorder records, sends, and is gone. */
async function recordAndSend(at: number): Promise<void> {
  const settings = { segmentSeconds: 5, volumes: [{ path: directory.join(`volume-${at}`) }] };
  const box = await Service.start({ dataDir: directory.join(`box-${at}`), settings });
  const server = await box.json<object>("/configure/server");
  await box.json("/configure/server", { method: "PUT", body: { ...server, Name: BOXES[at] } });
  const [id = ""] = await box.addCameras([{ name: `Gate ${at}`, url: source.url(at) }]);
  ids[at] = id;
  await box.recorded([id], 22_000_000, WAIT_MS);
  const target = {
    ...{ Name: "Cellar", Endpoint: gateway.endpoint, Bucket: "nvrd", Prefix: `${BOXES[at]}/` },
    ...{ AccessKeyId: GATEWAY_KEY, SecretAccessKey: GATEWAY_SECRET, Content: "Everything", From: "Oldest" },
  };
  await box.json("/configure/away", { method: "POST", body: [target] });
  for (const endMs = Date.now() + WAIT_MS; (await named(at)) < 4; await pause(500))
    if (Date.now() > endMs) throw new Error(`${BOXES[at]} has not sent its recordings`);
  const [fragment] = await box.fragments(id);
  if (fragment === undefined) throw new Error("nothing is recorded");
  // Within its first three segments.
  spans[at] = { fromUs: fragment.fromUs + 2_000_000, toUs: fragment.fromUs + 12_000_000 };
  before[at] = await doors(box, at);
  await box.stop();
}

/** Segments that the manifest of a recorder names. */
async function named(at: number): Promise<number> {
  const { objects } = await bucket.list(`${BOXES[at]}/manifests/`);
  const key = objects.at(-1)?.key;
  if (key === undefined) return 0;
  try {
    return readManifest((await bucket.get(key, { bytesMax: 10_000_000 })).body).segments.length;
  } catch (error) {
    if (error instanceof S3Error && error.fault === "not-found") return 0; // a newer one has taken its place
    throw error;
  }
}

async function startReader(name: string): Promise<Service> {
  return await Service.start({
    dataDir: directory.join(name),
    settings: readerSettings(),
  });
}

function readerSettings(): Readonly<Record<string, unknown>> {
  return {
    ...{ bucketEndpoint: gateway.endpoint, bucketName: "nvrd", bucketAccessKeyId: GATEWAY_KEY },
    ...{ bucketSecretKeyFile: directory.join("secret"), logLevel: "debug" },
  };
}

async function configuration(reader: Service): Promise<Configuration> {
  await expect
    .poll(async () => (await reader.get("/configex?responsetype=json")).status, { timeout: WAIT_MS })
    .toBe(200);
  return await reader.json<Configuration>("/configex?responsetype=json");
}

/** What the doors give of a channel's time. */
async function doors(service: Service, at: number): Promise<Doors> {
  const id = ids[at] ?? "";
  const { fromUs, toUs } = spans[at] ?? { fromUs: 0, toUs: 0 };
  const inside = (await service.fragments(id, fromUs, toUs)).map((fragment) => ({
    id: fragment.id,
    fromUs: Math.max(fragment.fromUs, fromUs),
    toUs: Math.min(fragment.toUs, toUs),
  }));
  const query = `channelid=${id}&fromtime=${apiTime(fromUs)}&totime=${apiTime(toUs)}`;
  const exported = await service.get(`/exportarchive?${query}`);
  expect([exported.status, exported.status === 200 ? "" : exported.body.toString()]).toEqual([200, ""]);
  const place = placeOf(at);
  const answer = await service.video(`${place}&speed=8`);
  const video: string[] = [];
  for await (const part of answer.parts) {
    video.push(sha256(part.body));
    if (video.length >= PICTURES) break;
  }
  answer.close();
  const site = await service.get(`/site?${place}`);
  expect(site.status).toBe(200);
  return { fragments: inside, exported: sha256(exported.body), video, site: sha256(site.body) };
}

/** Where the recording of a recorder begins that is compared. */
function placeOf(at: number): string {
  return `channelid=${ids[at]}&mode=archive&starttime=${apiTime(spans[at]?.fromUs ?? 0)}`;
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
