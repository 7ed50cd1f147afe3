import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readManifest } from "../../../src/away/plan/manifest.js";
import type { HubBoxes, HubState, Timeline } from "../../../src/contract/answer/index.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { apiTime, Service } from "../../support/service/service.js";

const WAIT_MS = 120_000;
/** Pictures of `/video` that are compared. */
const PICTURES = 60;
const [WRITING_KEY, READING_KEY] = ["writes", "reads"];
const SECRET = "a-secret-of-the-hub";

interface Doors {
  readonly fragments: readonly string[];
  readonly exported: string;
  readonly video: readonly string[];
  readonly site: string;
  /** Where `/site` says that it is from. */
  readonly from: string | undefined;
}

let directory: TemporaryDirectory;
let store: ScriptedStore;
let source: PacedSource;
let hubPort = 0;
let hub: Service;
let recorder: Service;
let channelId = "";
let serverId = "";
let span = { fromUs: 0, toUs: 0 };
let itsOwn: Doors;

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-off-site");
  [store, source] = await Promise.all([new ScriptedStore().start(), PacedSource.start(1, SMALL_CLIP)]);
  store.fault = ({ method, headers }) =>
    ["PUT", "POST", "DELETE"].includes(method) && headers.authorization?.includes(`=${READING_KEY}/`) === true
      ? { status: 403, code: "AccessDenied" }
      : undefined;
  [hubPort = 0] = await freePorts(1);
  [hub, recorder] = await Promise.all([startHub(), startRecorder()]);
  ({ ServerId: serverId } = await recorder.json<{ ServerId: string }>("/api/session"));
  [channelId = ""] = await recorder.addCameras([{ name: "Gate", url: source.url(0) }]);
  const code = () => hub.get("/api/boxes/code", { method: "POST" });
  await eventually("the hub makes codes", async () => (await code()).status === 200);
  const { Code } = JSON.parse((await code()).body.toString()) as { Code: string };
  await recorder.json("/api/hub", {
    method: "POST",
    body: { Code: Code.replace(/\/\/.*:/, "//127.0.0.1:"), Ceiling: "Look" },
  });
  await recorder.recorded([channelId], 22_000_000, WAIT_MS);
  const target = {
    ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "warehouse/" },
    ...{ AccessKeyId: WRITING_KEY, SecretAccessKey: "another", Content: "Everything", From: "Oldest" },
  };
  await recorder.json("/configure/away", { method: "POST", body: [target] });
  await eventually("it is sent", async () => segmentsSent() > 3);
  const [fragment] = await recorder.fragments(channelId);
  if (fragment === undefined) throw new Error("nothing is recorded");
  span = { fromUs: fragment.fromUs + 2_000_000, toUs: fragment.fromUs + 12_000_000 };
  await eventually("the hub shows it", async () => (await hub.get(`/site?${place()}`)).status === 200);
  itsOwn = await doors(hub);
}, 4 * WAIT_MS);

afterAll(async () => {
  await Promise.all([hub?.stop(), recorder?.stop()]);
  await source?.stop();
  store?.stop();
  directory?.remove();
});

it("a key that can write is not handed to the hub", async () => {
  const { status, body } = await hand(WRITING_KEY);
  expect([status, body.toString()]).toEqual([400, expect.stringMatching(/it can write/)]);
  expect((await recorder.json<HubState>("/api/hub")).Storage).toBeNull();
  expect([...store.objects.keys()].filter((key) => key.includes("/test/"))).toEqual([]);
});

it("a key that reads is handed over, is shown to nobody, and is sealed at the hub", async () => {
  expect((await hand(READING_KEY)).status).toBe(200);
  const { Storage } = await recorder.json<HubState>("/api/hub");
  expect(Storage).toEqual({ Target: expect.any(String), AccessKeyId: READING_KEY, WithPrivateKey: false });
  await expect.poll(async () => (await stateAtHub())?.IsReadOffSite, { timeout: WAIT_MS }).toBe(true);
  const kept = readFileSync(directory.join("hub/hub/storages.json"), "utf8");
  expect([kept.includes(serverId), kept.includes(SECRET), kept.includes(READING_KEY)]).toEqual([
    true,
    false,
    false,
  ]);
});

it("while the recorder is there, its own recordings are shown", async () => {
  expect(itsOwn.from).toBeUndefined();
  expect(await doors(hub)).toEqual(itsOwn);
});

it("while the recorder is silent, every door has its recordings, and says that they are from off-site storage", async () => {
  await recorder.stop();
  await expect.poll(async () => (await stateAtHub())?.IsConnected, { timeout: WAIT_MS }).toBe(false);
  expect(await doors(hub)).toEqual({ ...itsOwn, from: "off-site storage" });
  const time = `from=${span.fromUs / 1000}&to=${span.toUs / 1000}&steps=100`;
  const { headers, body } = await hub.get(`/api/timeline?channels=${channelId}&${time}`);
  const whole = [{ From: span.fromUs / 1000, To: span.toUs / 1000 }];
  expect((JSON.parse(body.toString()) as Timeline).Channels[0]).toMatchObject({ Runs: whole, Away: whole });
  expect([headers["recordings-from"], headers["recorders-missing"]]).toEqual(["off-site storage", undefined]);
});

it("nothing else of a silent recorder is answered, and nothing of the hub in its place", async () => {
  for (const path of ["api/health", "configure/users", "api/log", "archive_events", "api/events"]) {
    const { status } = await hub.get(`/boxes/${serverId}/${path}`);
    expect({ path, status }).toEqual({ path, status: 503 });
  }
  const live = await hub.get(`/site?channelid=${channelId}`);
  expect([live.status, live.body.toString()]).toEqual([
    404,
    expect.stringMatching(/not connected to this hub/),
  ]);
});

it("a hub that starts while the recorder is silent knows its cameras from its storage", {
  timeout: 2 * WAIT_MS,
}, async () => {
  await hub.stop();
  hub = await startHub();
  const status = async () => (await hub.get(`/site?${place()}`)).status;
  await expect.poll(status, { timeout: WAIT_MS }).toBe(200);
  expect(await doors(hub)).toEqual({ ...itsOwn, from: "off-site storage" });
});

it("storage that answers nothing is said, with what to do", { timeout: 2 * WAIT_MS }, async () => {
  const before = store.fault;
  store.fault = () => ({ status: 503, code: "SlowDown" });
  await hub.stop();
  hub = await startHub();
  const answer = async () => {
    const { status, headers, body } = await hub.get(`/boxes/${serverId}/site?${place()}`);
    return [status, Number(headers["retry-after"]) > 0, body.toString()];
  };
  const reason = expect.stringMatching(/bucket nvrd are not known yet/);
  await expect.poll(answer, { timeout: WAIT_MS }).toEqual([503, true, reason]);
  store.fault = before;
});

it("a recorder that comes back shows its own, and takes the key back", { timeout: 2 * WAIT_MS }, async () => {
  recorder = await startRecorder();
  await expect.poll(async () => (await stateAtHub())?.IsConnected, { timeout: WAIT_MS }).toBe(true);
  const seen = async () => {
    const { status, headers } = await hub.get(`/site?${place()}`);
    return [status, headers["recordings-from"]];
  };
  await expect.poll(seen, { timeout: WAIT_MS }).toEqual([200, undefined]);
  await recorder.json("/api/hub/storage", { method: "DELETE" });
  await expect.poll(async () => (await stateAtHub())?.IsReadOffSite, { timeout: WAIT_MS }).toBe(false);
  expect(readFileSync(directory.join("hub/hub/storages.json"), "utf8")).not.toContain(serverId);
});

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const endMs = Date.now() + WAIT_MS; !(await holds()); await pause(200))
    if (Date.now() > endMs) throw new Error(`not within ${WAIT_MS} ms: ${what}`);
}

function startHub(): Promise<Service> {
  return Service.start({ dataDir: directory.join("hub"), settings: { hubPort } });
}

function startRecorder(): Promise<Service> {
  const settings = { segmentSeconds: 5, volumes: [{ path: directory.join("volume") }] };
  return Service.start({ dataDir: directory.join("recorder"), settings });
}

async function hand(AccessKeyId: string) {
  const [target] = await recorder.json<readonly { readonly Id: string }[]>("/configure/away");
  return await recorder.get("/api/hub/storage", {
    method: "PUT",
    body: { Target: target?.Id, AccessKeyId, SecretAccessKey: SECRET },
  });
}

async function stateAtHub(): Promise<HubBoxes["Boxes"][number] | undefined> {
  return (await hub.json<HubBoxes>("/api/boxes")).Boxes[0];
}

/** Segments that the newest manifest names. */
function segmentsSent(): number {
  const [newest] = [...store.objects.keys()]
    .filter((key) => key.includes("/manifests/"))
    .sort()
    .reverse();
  const content = newest === undefined ? undefined : store.objects.get(newest);
  return content === undefined ? 0 : readManifest(content).segments.length;
}

/** What the doors give of the camera's time. */
async function doors(service: Service): Promise<Doors> {
  const { fromUs, toUs } = span;
  const fragments = (await service.fragments(channelId, fromUs, toUs)).map(
    ({ id, fromUs: from, toUs: to }) => `${id} ${Math.max(from, fromUs)} ${Math.min(to, toUs)}`,
  );
  const query = `channelid=${channelId}&fromtime=${apiTime(fromUs)}&totime=${apiTime(toUs)}`;
  const exported = await service.get(`/exportarchive?${query}`);
  expect([exported.status, exported.status === 200 ? "" : exported.body.toString()]).toEqual([200, ""]);
  const answer = await service.video(`${place()}&speed=8`);
  const video: string[] = [];
  for await (const part of answer.parts) {
    video.push(sha256(part.body));
    if (video.length >= PICTURES) break;
  }
  answer.close();
  const site = await service.get(`/site?${place()}`);
  expect(site.status).toBe(200);
  const from = site.headers["recordings-from"];
  return {
    ...{ fragments, exported: sha256(exported.body), video, site: sha256(site.body) },
    from: typeof from === "string" ? from : undefined,
  };
}

/** Where the recording begins that is compared. */
function place(): string {
  return `channelid=${channelId}&mode=archive&starttime=${apiTime(span.fromUs)}`;
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
