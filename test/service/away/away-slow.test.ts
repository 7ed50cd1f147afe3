import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readManifest } from "../../../src/away/plan/manifest.js";
import { until } from "../../support/api/api-harness.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { SlowLink } from "../../support/away/slow-link.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { type Clip, PacedSource } from "../../support/service/paced-source.js";
import { pause, Service } from "../../support/service/service.js";

const WAIT_MS = 120_000;
const KBIT = 1000;
const CAMERAS = 3;
const RECORDED_US = 8_000_000;
/** One segment of it goes for longer than a server may be silent, where three go at once. */
const CLIP: Clip = { width: 160, height: 120, fps: 10, gopFrames: 10, kilobitsPerSecond: 72, seconds: 8 };

interface AwayState {
  readonly WaitingSegments: number;
  readonly IsCounting: boolean;
  readonly Problem: string | null;
}

interface Slow {
  readonly name: string;
  readonly store: ScriptedStore;
  readonly port: number;
  readonly kbpsMax: number | null;
}

let directory: TemporaryDirectory;
let source: PacedSource;
let link: SlowLink;
let slow: readonly Slow[];
const services: Service[] = [];

beforeAll(async () => {
  directory = new TemporaryDirectory("nvrd-away-slow");
  const [limited, linked] = [await new ScriptedStore().start(), await new ScriptedStore().start()];
  link = await SlowLink.to(linked.port, 64 * KBIT);
  slow = [
    { name: "limited", store: limited, port: limited.port, kbpsMax: 100 },
    { name: "linked", store: linked, port: link.port, kbpsMax: null },
  ];
  source = await PacedSource.start(CAMERAS, CLIP);
  services.push(...(await Promise.all(slow.map(({ name }) => recorded(name)))));
});

afterAll(async () => {
  for (const service of services) await service.stop();
  await source?.stop();
  await link?.stop();
  for (const { store } of slow ?? []) store.stop();
  directory?.remove();
});

/** A recorder whose cameras have recorded, and are off now. */
async function recorded(name: string): Promise<Service> {
  const settings = { segmentSeconds: 60, volumes: [{ path: directory.join(`${name}-volume`) }] };
  const service = await Service.start({ dataDir: directory.join(name), settings });
  const cameras = Array.from({ length: CAMERAS }, (_one, at) => ({
    name: `Gate ${at}`,
    url: source.url(at),
  }));
  const ids = await service.addCameras(cameras);
  await service.recorded(ids, RECORDED_US, WAIT_MS);
  // A change of a camera names its model.
  type Camera = { readonly ConnectionSettings: { readonly ModelId: string } };
  for (const Id of ids) {
    const { ModelId } = (await service.json<Camera>(`/configure/channels/${Id}`)).ConnectionSettings;
    const body = [{ Id, ConnectionSettings: { ModelId }, ArchiveSettings: { ArchivingDisabled: true } }];
    await service.json("/configure/channels", { method: "PUT", body });
  }
  return service;
}

async function stateOf(service: Service): Promise<AwayState> {
  const [state] = await service.json<readonly AwayState[]>("/api/away");
  if (state === undefined) throw new Error("no target");
  return state;
}

function segmentsOf(name: string): readonly Buffer[] {
  const volume = directory.join(`${name}-volume`);
  const files = readdirSync(volume, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".seg")).map((file) => readFileSync(join(volume, file)));
}

/** What the store was sent of segments, repetitions included. */
function putOf(store: ScriptedStore): number {
  const puts = store.asked.filter(({ method, key }) => method === "PUT" && key.endsWith(".seg"));
  return puts.reduce((sum, { headers }) => sum + Number(headers["content-length"]), 0);
}

const namedIn = (store: ScriptedStore) =>
  [...store.objects]
    .filter(([key]) => key.startsWith("box/manifests/"))
    .flatMap(([, content]) => readManifest(content).segments);

it.concurrent.each([
  ["a limit of 100 kbit/s", 0],
  ["a link of 64 kbit/s and no limit", 1],
])("over %s all recordings go, each byte once, and health says what waits", async (_name, at) => {
  const [service, one] = [services[at], slow[at]];
  if (service === undefined || one === undefined) throw new Error("no such recorder");
  const target = {
    ...{ Name: "Cellar", Endpoint: `http://127.0.0.1:${one.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: "away-Secret-1", Content: "Everything", From: "Oldest" },
    KilobitsPerSecondMax: one.kbpsMax,
  };
  await service.json("/configure/away", { method: "POST", body: [target] });
  const counted = async () => {
    const { WaitingSegments, IsCounting } = await stateOf(service);
    return IsCounting ? 0 : WaitingSegments;
  };
  await expect.poll(counted, { timeout: WAIT_MS }).toBe(segmentsOf(one.name).length);
  const problems = new Set<string | null>();
  let waitedBytes = 0;
  for (let state = await stateOf(service); state.WaitingSegments > 0; state = await stateOf(service)) {
    problems.add(state.Problem);
    const { Away } = await service.json<{ Away: readonly { WaitingBytes: number }[] }>("/api/health");
    waitedBytes = Math.max(waitedBytes, Away[0]?.WaitingBytes ?? 0);
    await pause(200);
  }
  const files = segmentsOf(one.name);
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  await until("all to be named", () => namedIn(one.store).length === files.length);
  const sent = [...one.store.objects].filter(([key]) => key.endsWith(".seg")).map(([, content]) => content);
  expect(sent.every((content) => files.some((file) => file.equals(content)))).toBe(true);
  expect([sent.length, putOf(one.store), waitedBytes]).toEqual([files.length, bytes, bytes]);
  expect([...problems]).toEqual([null]);
  expect(service.log).not.toMatch(/silent for|do not go off the box/);
});
