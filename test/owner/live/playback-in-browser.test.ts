import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ArchivedFrame } from "../../../src/archive/index.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { type RecordedUnit, videoUnits } from "../../support/api/exported-archive.js";
import { openPlayer, say, shown } from "../../support/api/playback-page.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { noBrowser, sharedChromium } from "../../support/media/chromium.js";

const TILE = { width: 640, height: 360 };
const NINE_MS = NINE_US / 1000;

function archived(clip: readonly RecordedUnit[], fromUs: number): ArchivedFrame[] {
  return clip.map(({ format, bytes, key, decodeTimeUs, presentationOffsetUs }, index) => ({
    codec: format.codec,
    streamType: "Main",
    format,
    decodeTimeUs: fromUs + decodeTimeUs,
    presentationOffsetUs,
    key,
    damaged: false,
    undecodable: false,
    startsFragment: index === 0,
    bytes,
  }));
}

let api: ApiHarness;
let browser: Browser;

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  api = await startApi();
  browser = await sharedChromium();
});

afterAll(async () => {
  if (noBrowser !== undefined) return;
  await api.stop();
});

it.skipIf(noBrowser !== undefined)(
  `a browser plays channels in step by their media times, seeks, steps both ways, and jumps over a gap${notHere(noBrowser)}`,
  async () => {
    const clip = await videoUnits("h264", { seconds: 20 });
    for (const channelId of [GATE_ID, YARD_ID]) {
      const key = { channelId, streamType: "Main" } as const;
      for (const fromUs of [NINE_US, NINE_US + 600_000_000]) api.archive.record(key, archived(clip, fromUs));
    }
    const page = await browser.newPage();
    await page.goto(api.url("/api/wallclock"));
    await openPlayer(page, {
      socket: `ws://127.0.0.1:${api.port}/api/live?${ROOT_QUERY}`,
      epochMs: NINE_MS - 1000,
    });
    await expect.poll(() => page.evaluate("window.messages.length"), { timeout: PATIENCE_MS }).toBe(1);
    const watches = [GATE_ID, YARD_ID].map((channel, index) => ({ id: index + 1, channel, tile: TILE }));
    const settled = async (id: number) => {
      const { currentTime, readyState, errors } = (await shown(page))[id] ?? {};
      return {
        currentTime: Math.round((currentTime ?? 0) * 100) / 100,
        isShown: (readyState ?? 0) >= 2,
        errors,
      };
    };
    const shows = async (second: number): Promise<void> => {
      for (const id of [1, 2]) {
        await expect
          .poll(() => settled(id), { timeout: PATIENCE_MS })
          .toEqual({ currentTime: second, isShown: true, errors: [] });
      }
    };

    await say(page, { type: "play", watches, from: NINE_MS + 4400, paused: true });
    await shows(5.4);
    await say(page, { type: "step", by: 1 });
    await shows(5.44);
    for (let count = 0; count < 3; count++) await say(page, { type: "step", by: -1 });
    await shows(5.32);
    await say(page, { type: "seek", to: NINE_MS + 18_000 });
    await shows(19);

    await say(page, { type: "resume" });
    const hasJumped = async () =>
      Object.values(await shown(page)).every(({ currentTime }) => currentTime > 602);
    await expect.poll(hasJumped, { timeout: PATIENCE_MS }).toBe(true);
    const [gate, yard] = Object.values(await shown(page));
    expect(gate?.errors).toEqual([]);
    expect(Math.abs((gate?.currentTime ?? 0) - (yard?.currentTime ?? 9))).toBeLessThan(0.2);
    await page.close();
  },
);
