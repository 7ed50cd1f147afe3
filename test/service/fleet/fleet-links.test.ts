// Own network: it makes interfaces.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PacedClip, readPacedFrames } from "../../support/archive/paced-recording.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { nowUs, recordedBeyond, until } from "../../support/event/service-events.js";
import { freePorts } from "../../support/service/background-process.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { PROGRAM } from "../../support/service/program.js";
import { apiTime, pause, Service } from "../../support/service/service.js";
import { ThinLink } from "../../support/service/thin-link.js";

/** The link of a recorder to its hub is bad in every way, and no picture is missing. `npm run torture -- hub-links` takes longer. */

const missing = ThinLink.missing();
const LINK_MS = Number(process.env.NVRD_TEST_LINK_MS ?? 5000);
const IS_TORTURE = process.env.NVRD_TEST_LINK_MS !== undefined;
const CAMERAS = 2;
/** From a request at the hub to the whole answer of the recorder, behind live pictures and a file that fill the link. */
const ANSWER_MS_MAX = IS_TORTURE ? 300 : 10_000;
/** What a link of 0.1 Mbit/s itself holds back is more than that. */
const THIN_ANSWER_MS_MAX = IS_TORTURE ? 3000 : 30_000;
const RESIDENT_BYTES_MAX = 24 * 1024 * 1024;
const PATIENCE_MS = 120_000 + 10 * LINK_MS;

let link: ThinLink;
let directory: TemporaryDirectory;
let source: PacedSource;
let hub: Service;
let recorder: Service;
let ids: string[];
let below = "";
let beganUs = 0;
const viewers: Viewer[] = [];

/** Somebody who watches a camera at the hub, and opens it again whenever it ends. */
class Viewer {
  pictures = 0;
  readonly #id: string;
  #isClosed = false;
  #end: () => void = () => undefined;
  readonly #running: Promise<void>;

  constructor(id: string) {
    this.#id = id;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const video = await hub.video(`channelid=${this.#id}`);
        this.#end = () => video.close();
        for await (const _part of video.parts) this.pictures += 1;
      } catch {
        // Cut, or the recorder is not there now: it is opened again.
      }
      await pause(200);
    }
  }
}

beforeAll(async () => {
  if (missing !== undefined) return;
  link = new ThinLink();
  directory = new TemporaryDirectory("fleet-links");
  source = await PacedSource.start(CAMERAS, SMALL_CLIP);
  const [hubPort = 0] = await freePorts(1);
  hub = await Service.start({
    ...{ dataDir: directory.join("hub"), program: link.startingThere(PROGRAM) },
    ...{ listen: "0.0.0.0", address: link.thereAddress },
    settings: { hubPort, hubAddress: `${link.thereAddress}:${hubPort}` },
  });
  recorder = await Service.start({ dataDir: directory.join("recorder") });
  ids = await recorder.addCameras(
    Array.from({ length: CAMERAS }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) })),
  );
  const { Code } = await hub.json<{ Code: string }>("/api/boxes/code", { method: "POST" });
  await recorder.json("/api/hub", { method: "POST", body: { Code } });
  const { ServerId } = await recorder.json<{ ServerId: string }>("/api/session");
  below = `/boxes/${ServerId}`;
  await connected();
  beganUs = nowUs() + 1_000_000;
  await recordedBeyond(recorder, ids, beganUs);
  for (const id of ids) viewers.push(new Viewer(id));
}, PATIENCE_MS);

afterAll(async () => {
  await Promise.all(viewers.map((viewer) => viewer.close()));
  await recorder?.stop();
  await hub?.stop();
  await source?.stop();
  await link?.close();
  directory?.remove();
}, PATIENCE_MS);

async function isThere(): Promise<boolean> {
  return (
    (await hub.get(`${below}/api/session`, { timeoutMs: 10_000 }).catch(() => undefined))?.status === 200
  );
}

const connected = () => until(hub, "the recorder at its hub", isThere);

/** Pictures that all viewers get in the meantime. */
async function watched(ms: number): Promise<number> {
  const before = viewers.reduce((sum, { pictures }) => sum + pictures, 0);
  await pause(ms);
  return viewers.reduce((sum, { pictures }) => sum + pictures, 0) - before;
}

/** How long short answers of the recorder take through the hub, ms, while it lasts; the middle one and the longest. */
async function answers(ms: number): Promise<{ readonly middle: number; readonly longest: number }> {
  const taken: number[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const asked = performance.now();
    const { status } = await hub.get(`${below}/api/session`);
    expect(status).toBe(200);
    taken.push(performance.now() - asked);
    await pause(100);
  }
  taken.sort((a, b) => a - b);
  return { middle: taken[Math.floor(taken.length / 2)] ?? 0, longest: taken.at(-1) ?? 0 };
}

/** Bytes of recordings that somebody fetches as a file through the hub, again and again; what the link does not carry in time is given up. */
async function fetched(ms: number): Promise<number> {
  const end = performance.now() + ms;
  const [id] = ids;
  let bytes = 0;
  for (let leftMs = ms; leftMs > 100; leftMs = end - performance.now()) {
    const path = `/exportarchive?channelid=${id}&fromtime=${apiTime(beganUs)}&totime=${apiTime(nowUs())}`;
    const answer = await hub.get(path, { timeoutMs: leftMs }).catch(() => undefined);
    bytes += answer?.body.length ?? 0;
    if (answer?.status !== 200) await pause(100);
  }
  return bytes;
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${recorder.process.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Where what was recorded since the beginning differs from what the cameras sent. */
async function differences(): Promise<string[]> {
  const toUs = nowUs();
  await recordedBeyond(recorder, ids, toUs);
  const clip = new PacedClip(source.clipFile);
  const all: string[] = [];
  for (const id of ids) {
    const query = `channelid=${id}&mode=archive&starttime=${apiTime(beganUs)}&speed=20`;
    const frames = await readPacedFrames(await recorder.video(query), ({ clock }) => clock.sentUs > toUs);
    all.push(...clip.differencesOf(frames));
  }
  return all;
}

describe.skipIf(missing !== undefined)(`a recorder at the end of a bad link${notHere(missing)}`, () => {
  it.each([
    { rate: "100mbit", lossPercent: 0, answerMsMax: ANSWER_MS_MAX },
    { rate: "10mbit", lossPercent: 0, answerMsMax: ANSWER_MS_MAX },
    { rate: "1mbit", lossPercent: 0, answerMsMax: THIN_ANSWER_MS_MAX },
    { rate: "1mbit", lossPercent: 5, answerMsMax: THIN_ANSWER_MS_MAX },
    { rate: "100kbit", lossPercent: 0, answerMsMax: THIN_ANSWER_MS_MAX },
  ])(
    "answers through the hub, behind live pictures and a file, over $rate with $lossPercent % loss, and loses no picture",
    async ({ rate, lossPercent, answerMsMax }) => {
      await connected();
      link.narrow(rate, lossPercent);
      try {
        const [pictures, { middle, longest }, bytes] = await Promise.all([
          watched(LINK_MS),
          answers(LINK_MS),
          fetched(LINK_MS),
        ]);
        console.info(
          `${rate}, ${lossPercent} %: ${pictures} pictures at the viewers, ${(bytes / 1e6).toFixed(1)} MB of files, answers ${middle.toFixed(0)} ms, at most ${longest.toFixed(0)} ms`,
        );
        expect(middle).toBeLessThan(answerMsMax);
      } finally {
        link.widen();
      }
      expect(await differences()).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    "loses no picture while its hub is stopped, does not grow, and is watched again when the hub goes on",
    async () => {
      await connected();
      const before = residentBytes();
      process.kill(hub.process.pid, "SIGSTOP");
      let most = 0;
      try {
        for (const end = performance.now() + LINK_MS; performance.now() < end; await pause(200))
          most = Math.max(most, residentBytes() - before);
      } finally {
        process.kill(hub.process.pid, "SIGCONT");
      }
      console.info(`grown by ${(most / 1e6).toFixed(1)} MB while the hub stood`);
      await connected();
      expect(await watched(LINK_MS)).toBeGreaterThan(0);
      expect(most).toBeLessThan(RESIDENT_BYTES_MAX);
      expect(await differences()).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    "loses no picture while its link is cut, and is watched again when it is mended",
    async () => {
      await connected();
      link.cut();
      await pause(LINK_MS);
      link.mend();
      await connected();
      expect(await watched(LINK_MS)).toBeGreaterThan(0);
      expect(await differences()).toEqual([]);
    },
    PATIENCE_MS,
  );
});
