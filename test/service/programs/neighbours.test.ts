// Own network: it makes interfaces.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { g711ToPcm } from "../../../src/live/codec/g711.js";
import { notHere } from "../../support/base/not-here.js";
import { NetworkLan } from "../../support/camera/network-lan.js";
import { eventsOf } from "../../support/event/service-events.js";
import { ffmpegFilter, hear, tonePcm } from "../../support/media/tone.js";
import { Observer } from "../../support/mqtt/observer.js";
import { type Neighbour, Neighbours } from "../../support/service/neighbours.js";
import { pacedClockOf } from "../../support/service/paced-source.js";
import { apiTime, md5, pause, ROOT_PASSWORD, type Service } from "../../support/service/service.js";

/** One run of all that a recorder has to do with its neighbours. `npm run torture -- neighbours` cuts the link for ten minutes. */

const missing = NetworkLan.missing();
const CUT_MS = Number(process.env.NVRD_TEST_NEIGHBOURS_CUT_MS ?? 8000);
/** A recorder that asked its neighbour before that had filled its own gap asks again a minute later. */
const FILL_TIMEOUT_MS = 5 * 60_000 + CUT_MS;
const TIMEOUT_MS = 2 * FILL_TIMEOUT_MS;
/** Key frames of the source are a second apart. */
const GOP_FRAMES = 25;
/** What was on its way when the cable was pulled. */
const ON_ITS_WAY_FRAMES = 3;
/** The newest is not read: it may still be on its way along the chain. */
const NEWEST_MS = 4000;
/** The times of a picture at the recorders differ by less. */
const TIMES_MS_MAX = 2000;
const TONE = { frequency: 1100, level: 0.5, rate: 16_000, seconds: 1.5 } as const;

interface Listed {
  readonly FromTime: string;
  readonly ToTime: string;
  readonly Origin?: string;
}

interface ReadFrame {
  /** The digest of its bytes. */
  readonly digest: string;
  /** Its number at the source. */
  readonly number: number;
}

let all: Neighbours;
let observer: Observer;

const base = ({ id }: Neighbour) => `nvrd/${id}`;
const gate = (recorder: Neighbour) => `${base(recorder)}/channels/${recorder.channelId}`;
const both = () => [all.near, all.far];

describe.skipIf(missing !== undefined)(`a recorder among its neighbours${notHere(missing)}`, () => {
  beforeAll(async () => {
    all = await Neighbours.start();
    observer = await Observer.connect(all.broker.url);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await observer?.close();
    await all?.close();
  }, TIMEOUT_MS);

  it("both are at the broker, with the camera", async () => {
    for (const recorder of both()) {
      await observer.until(`${base(recorder)}/status`, (text) => text === "online");
      await observer.until(`${gate(recorder)}/connected`, (text) => text === "ON");
    }
  });

  it("the camera's motion is an event of both, and at the broker", async () => {
    for (const [isMoving, text] of [
      [true, "ON"],
      [false, "OFF"],
    ] as const) {
      all.camera.move(isMoving);
      for (const recorder of both()) await observer.until(`${gate(recorder)}/motion`, (now) => now === text);
    }
    for (const { service } of both()) {
      expect((await eventsOf(service, "motionStarted")).length).toBeGreaterThan(0);
    }
  });

  it("an announcement is heard at the camera", async () => {
    await announce(all.near.service, all.loudspeakerId);
    await expect.poll(() => all.loudspeaker.heard().at(-1)?.hasEnded).toBe(true);
    const sound = all.loudspeaker.heard().at(-1)?.sound ?? Buffer.alloc(0);
    const heard = hear(g711ToPcm([sound], "mu").subarray(2 * 2400), 8000);
    expect(heard).toMatchObject({ frequency: TONE.frequency, level: expect.closeTo(TONE.level, 1) });
  });

  it(
    "a gap of the link to the camera is filled from its card, and then the second recorder's from the first",
    async () => {
      all.cut();
      for (const recorder of both())
        await observer.until(`${gate(recorder)}/connected`, (text) => text === "OFF");
      await pause(CUT_MS);
      all.mend();
      for (const recorder of both()) {
        await observer.until(`${gate(recorder)}/connected`, (text) => text === "ON");
        const topic = `${base(recorder)}/events`;
        const isPublished = () =>
          observer.texts(topic).some((text) => text.includes(EVENT_TYPES.gapFilled.id));
        await expect.poll(isPublished, { timeout: FILL_TIMEOUT_MS }).toBe(true);
        expect(filledMs(await listed(recorder))).toBeGreaterThan(CUT_MS - 3000);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "what each recorded is what the camera sent, picture by picture, nothing twice, at most a group missing at a gap",
    async () => {
      const toMs = Date.now() - NEWEST_MS;
      const sent = await framesOf(all.camera.service, all.camera.gateId, toMs + TIMES_MS_MAX);
      const digests = new Map(sent.map(({ number, digest }) => [number, digest]));
      for (const recorder of both()) {
        const kept = await framesOf(recorder.service, recorder.channelId, toMs);
        expect(kept.length).toBeGreaterThan(CUT_MS / 40);
        const others = kept.filter(({ number, digest }) => digests.get(number) !== digest);
        expect(
          others,
          `of the camera are ${numbersOf(sent)}; ${recorder.channelId} has ${numbersOf(kept)}`,
        ).toEqual([]);
        const steps = kept.slice(1).map(({ number }, at) => number - (kept[at]?.number ?? number));
        expect(steps.filter((step) => step < 1)).toEqual([]);
        expect(steps.filter((step) => step > GOP_FRAMES + ON_ITS_WAY_FRAMES)).toEqual([]);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "both archives have no faults",
    async () => {
      await all.stopRecorders();
      for (const recorder of both()) {
        const { exit, text } = await all.check(recorder);
        expect(exit, text).toMatchObject({ code: 0 });
      }
    },
    TIMEOUT_MS,
  );

  it("stopped, both are offline at the broker", async () => {
    for (const recorder of both())
      await observer.until(`${base(recorder)}/status`, (text) => text === "offline");
  });
});

async function listed({ service, channelId }: Neighbour): Promise<readonly Listed[]> {
  const range = "fromtime=01.01.2026%2000:00:00&totime=01.01.2100%2000:00:00";
  const path = `/archivefragments?channelid=${channelId}&${range}&responsetype=json`;
  return (await service.json<{ Fragments: Listed[] }>(path)).Fragments;
}

/** Milliseconds that came from the camera's card. */
function filledMs(fragments: readonly Listed[]): number {
  return fragments
    .filter(({ Origin }) => Origin === "Camera")
    .reduce((sum, { FromTime, ToTime }) => sum + Date.parse(ToTime) - Date.parse(FromTime), 0);
}

/** All that is recorded of the main stream before a time, in the order of playback. */
async function framesOf(service: Service, channelId: string, toMs: number): Promise<ReadFrame[]> {
  const [first] = await service.fragments(channelId);
  const start = apiTime(first?.fromUs ?? 0);
  const query = `channelid=${channelId}&mode=archive&streamtype=Main&starttime=${start}&speed=20`;
  const { parts, close } = await service.video(query);
  const frames: ReadFrame[] = [];
  let lastMs = 0;
  for await (const { body, timestampMs } of parts) {
    lastMs = timestampMs;
    if (timestampMs >= toMs) break;
    frames.push({ digest: md5(body.toString("latin1")), number: pacedClockOf(body)?.frame ?? -1 });
  }
  close();
  expect(lastMs, `where the playback of ${channelId} from ${start} ended`).toBeGreaterThanOrEqual(toMs);
  return frames;
}

/** Which pictures there are, in words. */
function numbersOf(frames: readonly ReadFrame[]): string {
  const ends = frames.filter(
    ({ number }, at) => frames[at + 1]?.number !== number + 1 || frames[at - 1]?.number !== number - 1,
  );
  return `${frames.length} (${ends
    .map(({ number }) => number)
    .slice(0, 40)
    .join(" ")})`;
}

/** Has a tone announced to a channel, and waits until that is done. */
async function announce(service: Service, channelId: string): Promise<void> {
  const input = ["-f", "s16le", "-ar", `${TONE.rate}`, "-ac", "1", "-i", "pipe:0"];
  const wav = await ffmpegFilter([...input, "-f", "wav", "pipe:1"], tonePcm(TONE));
  const origin = `http://${service.address}:${service.httpPort}`;
  const login = Buffer.from(`root:${ROOT_PASSWORD}`).toString("base64");
  const added = await fetch(`${origin}/api/announcements?name=Closing%20time`, {
    method: "POST",
    headers: { Authorization: `Basic ${login}`, "Content-Type": "audio/wav" },
    body: new Uint8Array(wav),
  });
  const { Id: AnnouncementId } = (await added.json()) as { Id: string };
  const body = { Kind: "Announce", ChannelId: channelId, AnnouncementId };
  const answer = await service.get("/api/tasks", { method: "POST", body });
  expect(answer.status).toBe(202);
  const { Id } = JSON.parse(answer.body.toString()) as { Id: string };
  const state = async () => (await service.json<{ State: string }>(`/api/tasks/${Id}`)).State;
  await expect.poll(state).toBe("Done");
}
