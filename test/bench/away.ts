import { once } from "node:events";
import { rmSync } from "node:fs";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { apiTime, pause, Service } from "../support/service/service.js";
import type { Bench, Figure } from "./figure.js";

const LINK_MS = 50;
/** Beyond what the link takes. */
const FIRST_FRAME_MS_MAX = 300;
const STEP_US = 2_000_000;
const WAIT_MS = 180_000;

/** Time to the first frame of a recording that is only in a bucket, over a link that takes 50 ms. */
export const awayBench: Bench = {
  name: "away",
  about: "first frame of recordings that are only in a bucket, over a link that takes 50 ms",
  async *run({ quick }) {
    const directory = new TemporaryDirectory("bench-away");
    const store = await new ScriptedStore().start();
    const source = await PacedSource.start(1, CAMERA_CLIP);
    try {
      yield* await measure(directory, { store, url: source.url(0), seconds: quick ? 40 : 220 });
    } finally {
      await source.stop();
      store.stop();
      directory.remove();
    }
  },
};

interface Setup {
  readonly store: ScriptedStore;
  readonly url: string;
  readonly seconds: number;
}

async function measure(directory: TemporaryDirectory, { store, url, seconds }: Setup): Promise<Figure[]> {
  const dataDir = directory.join("data");
  const settings = (volume: string) => ({ segmentSeconds: 20, volumes: [{ path: directory.join(volume) }] });
  const first = await Service.start({ dataDir, settings: settings("first") });
  const [id = ""] = await first.addCameras([{ name: "Gate", url }]);
  await first.recorded([id], seconds * 1e6, WAIT_MS + seconds * 1000);
  const target = {
    ...{ Name: "Far", Endpoint: `http://127.0.0.1:${store.port}`, Bucket: "nvrd", Prefix: "box/" },
    ...{ AccessKeyId: "AKID", SecretAccessKey: "bench", Content: "Everything", From: "Oldest" },
  };
  await first.json("/configure/away", { method: "POST", body: [target] });
  const isNamed = () => [...store.objects.keys()].some((key) => key.includes("/manifests/"));
  await until(isNamed, "the manifest");
  await first.stop();
  // All that was recorded so far is only in the bucket from here on; nothing of it was fetched yet.
  rmSync(`${dataDir}/index`, { recursive: true });
  const service = await Service.start({ dataDir, settings: settings("second") });
  try {
    // What the new disk gets meanwhile is shorter.
    const find = async () =>
      (await service.fragments(id)).find(({ fromUs, toUs }) => toUs - fromUs > (seconds * 1e6) / 2);
    let span = await find();
    for (
      const end = performance.now() + WAIT_MS;
      span === undefined && performance.now() < end;
      await pause(200)
    )
      span = await find();
    if (span === undefined) throw new Error("nothing came back");
    store.delayMs = LINK_MS;
    const delays: number[] = [];
    // From the end to the beginning: what is read ahead is not asked for again.
    for (let timeUs = span.toUs - STEP_US; timeUs > span.fromUs; timeUs -= STEP_US)
      delays.push((await firstFrameMs(service, id, timeUs)) - LINK_MS);
    delays.sort((a, b) => a - b);
    const at = (share: number): number => delays[Math.ceil(delays.length * share) - 1] ?? Number.NaN;
    const name = `first of ${delays.length} recordings over ${LINK_MS} ms, beyond the link`;
    return [
      { name: `${name}: median`, value: at(0.5), unit: "ms" },
      { name: `${name}: p99`, value: at(0.99), unit: "ms", wanted: { atMost: FIRST_FRAME_MS_MAX } },
    ];
  } finally {
    await service.stop();
  }
}

async function firstFrameMs(service: Service, id: string, timeUs: number): Promise<number> {
  const begun = performance.now();
  const response = await service.open(`/video?channelid=${id}&mode=archive&starttime=${apiTime(timeUs)}`);
  if (response.statusCode !== 200) throw new Error(`/video: status ${response.statusCode}`);
  await once(response, "readable");
  const ms = performance.now() - begun;
  response.destroy();
  return ms;
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} did not come`);
    await pause(100);
  }
}
