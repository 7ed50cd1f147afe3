import type { Browser } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { Frame } from "../../../src/live/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { playing, playWithHlsJs } from "../../support/hls/hls-browser.js";
import { clipFrames, clipUs, inTime, recordedClip, soundFrames } from "../../support/hls/hls-clips.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";
import { type CodedClip, codedClip } from "../../support/media/coded-clip.js";
import { toneAac } from "../../support/media/tone.js";

const FRAMES = 150;
const KEY = { channelId: GATE_ID, streamType: "Main" } as const;

let browser: Browser;
let clip: CodedClip;
let sound: Frame[];
let api: ApiHarness;

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  const options = { codec: Codec.H264, width: 320, height: 240, frames: FRAMES };
  const flags = ["-g", "25", "-bf", "2", "-pix_fmt", "yuv420p"];
  const rate = 16_000;
  const [coded, aac, launched] = await Promise.all([
    codedClip({ ...options, flags }),
    toneAac({ frequency: 440, level: 0.5, rate, seconds: FRAMES / 25 }),
    sharedChromium(),
  ]);
  clip = coded;
  browser = launched;
  sound = soundFrames(aac.format, aac.units, { unitUs: (1024 * 1e6) / rate });
});

beforeEach(async () => {
  api = await startApi({ settings: { corsOrigins: ["*"] } });
});

afterEach(async () => {
  clearInterval(camera);
  for (const page of browser?.contexts().flatMap((context) => context.pages()) ?? []) await page.close();
  await api.stop();
});

let camera: ReturnType<typeof setInterval> | undefined;

/** A camera that sends the clip in a loop in real time; the first two seconds at once. */
function runCamera(withSound: boolean): void {
  const stream = api.streams.live(GATE_ID);
  stream.setState({ state: "active" });
  const nowUs = Date.now() * 1000;
  const round = inTime(clipFrames(clip, { fromUs: 0 }), withSound ? shifted(sound, -NINE_US) : []);
  let sent = 0;
  const send = (): void => {
    for (;;) {
      const next = round[sent % round.length];
      if (next === undefined) return;
      const atUs = nowUs - 2_000_000 + Math.floor(sent / round.length) * clipUs(FRAMES) + next.decodeTimeUs;
      if (atUs > Date.now() * 1000) return;
      for (const frame of shifted([next], atUs - next.decodeTimeUs)) stream.publish(frame);
      sent += 1;
    }
  };
  send();
  camera = setInterval(send, 10);
}

function shifted(frames: readonly Frame[], byUs: number): Frame[] {
  return frames.map((frame) => {
    const { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, discontinuity, ranges } =
      frame;
    const fields = { format, presentationOffsetUs, key, damaged, undecodable, discontinuity, ranges };
    return new Frame({ ...fields, decodeTimeUs: decodeTimeUs + byUs });
  });
}

async function addressOf(query: string): Promise<string> {
  const response = await api.get(`/hls?channelid=${GATE_ID}${query}`);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringContaining(".m3u8")]);
  return api.url(`/hls/${text}`);
}

const fatal = (errors: readonly string[]): string[] => errors.filter((error) => error.includes(" fatal "));

describe.skipIf(noBrowser !== undefined)(`hls.js in a browser${notHere(noBrowser)}`, () => {
  it.each([
    ["without sound", false],
    ["with sound", true],
  ] as const)("plays a live stream %s, by its parts, near the live edge", async (_title, withSound) => {
    runCamera(withSound);
    const page = await playWithHlsJs(browser, await addressOf(withSound ? "&sound=on" : ""));
    await expect
      .poll(async () => (await playing(page)).currentTime, { timeout: PATIENCE_MS })
      .toBeGreaterThan(3);
    const state = await playing(page);
    expect(fatal(state.errors)).toEqual([]);
    expect(state.width).toBe(320);
    expect(state.partsLoaded).toBeGreaterThan(3);
    expect(state.discontinuities).toBe(1);
    if (withSound) expect(state.decodedAudioBytes).toBeGreaterThan(1000);
    else expect(state.decodedAudioBytes).toBe(0);
    // The picture's own time, on the recorder's clock; how near it is, docs/design/hls.md says.
    expect(Math.abs(Date.now() - (state.shownMs ?? 0))).toBeLessThan(20_000);
  });

  it("plays a recording from starttime on, and across a gap", async () => {
    api.archive.record(KEY, recordedClip(clip));
    const laterUs = NINE_US + 3_600_000_000;
    api.archive.record(KEY, recordedClip(clip, { fromUs: laterUs, gap: true }));
    const page = await playWithHlsJs(browser, await addressOf("&mode=archive&starttime=21.11.2026+09:00:03"));
    await expect
      .poll(async () => (await playing(page)).shownMs, { timeout: PATIENCE_MS })
      .toBeGreaterThan(laterUs / 1000 + 500);
    const state = await playing(page);
    expect(fatal(state.errors)).toEqual([]);
    expect(state.discontinuities).toBe(2);
    // It began with starttime: what lies before it, from the key frame on, is not played.
    expect(state.decodedFrames).toBeGreaterThan(FRAMES - 3 * 25);
  });
});
