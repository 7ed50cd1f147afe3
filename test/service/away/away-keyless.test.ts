import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../../src/away/plan/manifest.js";
import type { Timeline } from "../../../src/contract/answer/timeline.js";
import { until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { RECIPIENT } from "../../support/away/age-keys.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";

const WAIT_MS = 120_000;
const ROOT_QUERY = `login=root&password=${createHash("md5").update(ROOT_PASSWORD).digest("hex")}`;
/** What every door says: where it lies, why it cannot be read, and what helps. */
const WORDS = /off the box at Cellar .*encrypted.*no key to it: enter the private key as Identity/s;

let directory: TemporaryDirectory;
let store: ScriptedStore;
let source: PacedSource;
let service: Service;
let rtspPort = 0;
let id = "";
let span: { readonly fromUs: number; readonly toUs: number };

async function run(volume: string): Promise<void> {
  service = await Service.start({
    ...{ dataDir: directory.join("data"), rtspPort },
    settings: { segmentSeconds: 5, logLevel: "debug", volumes: [{ path: directory.join(volume) }] },
  });
}

const named = () =>
  [...store.objects]
    .filter(([key]) => key.startsWith("box/manifests/"))
    .flatMap(([, content]) => readManifest(content).segments);

/** The recordings of a lost disk lie in the bucket alone, encrypted for somebody else. */
beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-away-keyless");
  store = await new ScriptedStore().start();
  source = await PacedSource.start(1, SMALL_CLIP);
  [rtspPort = 0] = await freePorts(1);
  await run("volume");
  [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
  await service.recorded([id], 12_000_000, WAIT_MS);
  const target = {
    ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: "away-Secret-1", Content: "Everything", From: "Oldest" },
    Recipients: [RECIPIENT],
  };
  await service.json("/configure/away", { method: "POST", body: [target] });
  await until("two segments to be named", () => named().length >= 2);
  const [first, second] = named();
  if (first === undefined || second === undefined) throw new Error("too few");
  span = { fromUs: first.fromUs + 1_000_000, toUs: second.toUs - 1_000_000 };
  await service.stop();
  rmSync(directory.join("data", "index"), { recursive: true });
  await run("second");
  while ((await service.fragments(id, span.fromUs, span.toUs)).length !== 1) await pause(50);
}, 3 * WAIT_MS);

afterAll(async () => {
  await service?.stop();
  await source?.stop();
  store?.stop();
  directory?.remove();
});

const atStart = () => `channelid=${id}&mode=archive&starttime=${apiTime(span.fromUs)}`;
const between = () => `channelid=${id}&fromtime=${apiTime(span.fromUs)}&totime=${apiTime(span.toUs)}`;

describe("a recorder without the private key of its encrypted recordings", () => {
  it.each([
    ["/video", () => `/video?${atStart()}`],
    ["/video with sound", () => `/video?${atStart()}&sound=on`],
    ["/video at eight times the speed", () => `/video?${atStart()}&speed=8`],
    ["/site", () => `/site?${atStart()}`],
    ["/exportarchive", () => `/exportarchive?${between()}`],
    [
      "/api/strip",
      () => `/api/strip?channel=${id}&from=${span.fromUs / 1000}&to=${span.toUs / 1000}&count=4`,
    ],
    ["HLS", () => `/hls?${atStart()}`],
    ["/mobile", () => `/mobile?${atStart()}`],
    ["/mobile for one frame", () => `/mobile?${atStart()}&oneframeonly=true`],
  ])("answers %s with 503, says what helps, and when to ask again", async (_, path) => {
    const { status, headers, body } = await service.get(path());
    expect([status, body.toString()]).toEqual([503, expect.stringMatching(WORDS)]);
    // To try again later is no advice here.
    expect(body.toString()).not.toMatch(/fetched now|try again later/);
    expect(headers["retry-after"]).toBe("60");
  });

  it("fails a search for motion with it, and does not say that nothing moved", async () => {
    const question = { Channel: id, From: span.fromUs / 1000, To: span.toUs / 1000, Pictures: true };
    const { status, body } = await service.get("/api/motionsearch", { method: "POST", body: question });
    expect([status, body.toString()]).toEqual([202, expect.any(String)]);
    const { Id } = JSON.parse(body.toString()) as { Id: string };
    const found = () => service.json<{ State: string; Error: string | null }>(`/api/motionsearch/${Id}`);
    await expect.poll(async () => (await found()).State, { timeout: WAIT_MS }).toBe("failed");
    expect((await found()).Error).toMatch(WORDS);
  });

  it("lists them all the same", async () => {
    expect(await service.fragments(id, span.fromUs, span.toUs)).toHaveLength(1);
    const command = `type=findarchive&channelid=${id}&searchtime=${apiTime(span.fromUs)}&accept=application/json`;
    expect(await service.json(`/command?${command}`)).toMatchObject({ HasArchive: true });
    const time = `from=${span.fromUs / 1000}&to=${span.toUs / 1000}&steps=100`;
    const { Channels } = await service.json<Timeline>(`/api/timeline?channels=${id}&${time}`);
    const whole = [{ From: span.fromUs / 1000, To: span.toUs / 1000 }];
    expect(Channels[0]).toMatchObject({ Runs: whole, Away: whole, Gaps: [] });
  });

  it("says it where its targets are shown", async () => {
    await service.get(`/site?${atStart()}`);
    const [state] = await service.json<{ ReadProblem?: string; Problem: string | null }[]>("/api/away");
    expect(JSON.stringify(state)).toMatch(WORDS);
  });

  it("says it over RTSP", async () => {
    const address = `rtsp://127.0.0.1:${rtspPort}/rtsp?${atStart()}&${ROOT_QUERY}`;
    const socket = connect(rtspPort, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    socket.write(`DESCRIBE ${address} RTSP/1.0\r\nCSeq: 1\r\n\r\n`);
    await until("it is told", () => WORDS.test(answer));
    expect(answer).toMatch(/^RTSP\/1\.0 503 /);
    expect(answer).toMatch(/Retry-After: 60/);
    socket.destroy();
  });

  it("says it to a live socket that plays", async () => {
    const socket = new LiveSocketClient(service.httpPort, { path: `/api/live?${ROOT_QUERY}` });
    await socket.greet();
    const watches = [{ id: 1, channel: id, tile: { width: 320, height: 240 } }];
    socket.say({ type: "play", from: Math.ceil(span.fromUs / 1000), watches });
    await until("it is told", () => socket.of("problem").length > 0);
    const text = expect.stringMatching(WORDS);
    expect(socket.of("problem")).toMatchObject([{ id: 1, reason: "recording-not-readable", text }]);
    socket.close();
  });

  it("plays live as ever", async () => {
    const { status } = await service.get(`/site?channelid=${id}`);
    expect(status).toBe(200);
  });
});
