import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../../src/away/plan/manifest.js";
import { until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { type Fault, ScriptedStore } from "../../support/away/scripted-store.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { ask } from "../../support/onvif/soap-questions.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const WAIT_MS = 120_000;
const ROOT_QUERY = `login=root&password=${createHash("md5").update(ROOT_PASSWORD).digest("hex")}`;
const SECRET = "away-Secret-1";

let directory: TemporaryDirectory;
let store: ScriptedStore;
let source: PacedSource;
let box: Service;
let id = "";
let span: { readonly fromUs: number; readonly toUs: number };
let rtspPort = 0;

const named = () =>
  [...store.objects]
    .filter(([key]) => key.startsWith("box/manifests/"))
    .flatMap(([, content]) => readManifest(content).segments);

async function runBox(volume: string): Promise<Service> {
  return await Service.start({
    ...{ dataDir: directory.join("data"), rtspPort },
    settings: { segmentSeconds: 5, volumes: [{ path: directory.join(volume) }], onvifUsers: ["root"] },
  });
}

/** A recorder has sent its recordings, and its disk is lost: they lie in the bucket alone. */
beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-away-cut");
  store = await new ScriptedStore().start();
  source = await PacedSource.start(1, SMALL_CLIP);
  [rtspPort = 0] = await freePorts(1);
  box = await runBox("volume");
  [id = ""] = await box.addCameras([{ name: "Gate", url: source.url(0) }]);
  await box.recorded([id], 22_000_000, WAIT_MS);
  const target = {
    ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: SECRET, Content: "Everything", From: "Oldest" },
  };
  await box.json("/configure/away", { method: "POST", body: [target] });
  await until("three segments to be named", () => named().length >= 3);
  const [first, , third] = named();
  if (first === undefined || third === undefined) throw new Error("too few");
  span = { fromUs: first.fromUs + 1_000_000, toUs: third.toUs - 1_000_000 };
  await box.stop();
  rmSync(directory.join("data", "index"), { recursive: true });
}, 3 * WAIT_MS);

afterAll(async () => {
  await box?.stop();
  await source?.stop();
  store?.stop();
  directory?.remove();
});

const atStart = () => `channelid=${id}&mode=archive&starttime=${apiTime(span.fromUs)}`;
const between = () => `channelid=${id}&fromtime=${apiTime(span.fromUs)}&totime=${apiTime(span.toUs)}`;
const times = () => `from=${span.fromUs / 1000}&to=${span.toUs / 1000}`;

/** Doors that give recordings. */
const MEDIA: readonly [string, () => string][] = [
  ["/video", () => `/video?${atStart()}`],
  ["/mobile", () => `/mobile?${atStart()}`],
  ["/mobile for one frame", () => `/mobile?${atStart()}&oneframeonly=true`],
  ["/site", () => `/site?${atStart()}`],
  ["/exportarchive", () => `/exportarchive?${between()}`],
  ["the digest of an export", () => `/exportarchive?${between()}&digest=true`],
  ["HLS", () => `/hls?${atStart()}`],
  ["a strip of pictures", () => `/api/strip?channel=${id}&${times()}&count=4`],
];
/** Doors that say what is recorded. */
const LISTS: readonly [string, () => string][] = [
  ["/archivefragments", () => `/archivefragments?${between()}`],
  ["findarchive", () => `/command?type=findarchive&channelid=${id}&searchtime=${apiTime(span.fromUs)}`],
  ["the timeline", () => `/api/timeline?channels=${id}&${times()}&steps=100`],
];
/** What is wrong with the link. */
const CUT: readonly [string, Fault] = ["is cut", "cut-answer"];
const SILENT: readonly [string, Fault] = ["is silent", "silence"];
const BUSY: readonly [string, Fault] = ["leads to a storage that is busy", { status: 503, code: "SlowDown" }];
/** Each fault at one of the two programs at least; `npm run torture -- away-cuts` has all at both. */
const HAS_ALL = process.env.NVRD_TEST_AWAY_FAULTS === "all";
const RECORDER_CUTS = HAS_ALL ? [CUT, SILENT, BUSY] : [SILENT, BUSY];
const READER_CUTS = HAS_ALL ? [CUT, SILENT, BUSY] : [CUT];

/** Says that it is away, and when to ask again. */
async function expectAway(service: Service, path: string): Promise<void> {
  const { status, headers, body } = await service.get(path);
  expect({ path, status, text: body.toString() }).toEqual({ path, status: 503, text: expect.any(String) });
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(body.toString()).toMatch(/cannot be (?:fetched|read)|is being read/);
  expect(body.toString()).not.toContain(SECRET);
}

async function expectAwayOverRtsp(): Promise<void> {
  const client = await RawRtspClient.connect(rtspPort);
  const url = `rtsp://127.0.0.1:${rtspPort}/rtsp?${atStart()}&${ROOT_QUERY}`;
  const { status, headers } = await client.request("DESCRIBE", url);
  expect([status, Number(headers.get("retry-after")) > 0]).toEqual([503, true]);
  client.close();
}

async function expectAwayOverSocket(service: Service): Promise<void> {
  const socket = new LiveSocketClient(service.httpPort, { path: `/api/live?${ROOT_QUERY}` });
  await socket.greet();
  const watches = [{ id: 1, channel: id, tile: { width: 320, height: 240 } }];
  socket.say({ type: "play", from: Math.ceil(span.fromUs / 1000), watches });
  await until("it is told", () => socket.of("problem").length > 0);
  expect(socket.of("problem")[0]).toMatchObject({ id: 1, reason: "recording-not-readable" });
  socket.close();
}

describe.each(RECORDER_CUTS)("a recorder whose link to its recordings %s", (_name, fault) => {
  beforeAll(async () => {
    store.fault = () => undefined;
    box = await runBox("second");
    while ((await box.fragments(id, span.fromUs, span.toUs)).length !== 1) await pause(50);
    store.fault = () => fault;
  });
  afterAll(() => box.stop());

  it.each(MEDIA)("says so at %s, and when to ask again", (_door, path) => expectAway(box, path()));

  it("says so over RTSP and the live socket", async () => {
    await expectAwayOverRtsp();
    await expectAwayOverSocket(box);
  });

  it("says all the same what is recorded, because it knows", async () => {
    for (const [, path] of LISTS) expect((await box.get(path())).status).toBe(200);
  });
});

describe.each(READER_CUTS)("a reader of a bucket whose link %s", (_name, fault) => {
  let reader: Service;

  beforeAll(async () => {
    store.fault = () => undefined;
    writeFileSync(directory.join("secret"), `${SECRET}\n`);
    const data = directory.join(`reader-${createHash("md5").update(JSON.stringify(fault)).digest("hex")}`);
    reader = await Service.start({
      ...{ dataDir: data, rtspPort },
      settings: {
        ...{
          bucketEndpoint: `http://127.0.0.1:${store.port}`,
          bucketName: "nvrd",
          bucketAccessKeyId: "AKID",
        },
        ...{ bucketSecretKeyFile: directory.join("secret"), onvifUsers: ["root"] },
      },
    });
    while ((await reader.get("/configex?responsetype=json")).status !== 200) await pause(100);
    store.fault = () => fault;
  });
  afterAll(() => reader?.stop());

  it.each([...MEDIA, ...LISTS])(
    "says so at %s of a day that it has not read, and when to ask again",
    (_door, path) => expectAway(reader, path()),
  );

  it("says so over RTSP, the live socket and ONVIF", async () => {
    await expectAwayOverRtsp();
    await expectAwayOverSocket(reader);
    const login = { login: "root", password: ROOT_PASSWORD };
    const origin = `http://127.0.0.1:${reader.httpPort}`;
    const summary = await ask(origin, "search_service", "GetRecordingSummary", { login });
    expect(summary.text).toMatch(/cannot be read|is being read/);
  });

  // A silent link is one that is cut, 8 s later.
  if (fault !== "silence")
    it("says so at each door of a day that it has listed, too", async () => {
      store.fault = () => undefined;
      const known = async () => (await reader.get(LISTS[0]?.[1]() ?? "")).status;
      await expect.poll(known, { timeout: WAIT_MS }).toBe(200);
      store.fault = () => fault;
      for (const [, path] of MEDIA) await expectAway(reader, path());
    });
});
