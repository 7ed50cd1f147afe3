// Own network: it makes interfaces.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LiveSocketClient } from "../support/api/live-socket-client.js";
import { notHere } from "../support/base/not-here.js";
import { CHROMIUM, noBrowser, PageBrowser } from "../support/page/page-browser.js";
import { PageService } from "../support/page/page-service.js";
import type { PageVisit } from "../support/page/page-visit.js";
import { type Clip, PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { pause, ROOT_PASSWORD } from "../support/service/service.js";
import { ThinLink } from "../support/service/thin-link.js";

/** Tiles of the wall; not at all in `npm test`, which has `owner/live/feed-turns`. */
const TILES = Number(process.env.NVRD_TEST_PAGE_LINK_TILES ?? 0);
const reason = noBrowser ?? ThinLink.missing() ?? (TILES > 0 ? undefined : "npm run torture -- page");
const RATE = "2mbit";
const MAIN: Clip = { ...SMALL_CLIP, width: 640, height: 360, gopFrames: 50, kilobitsPerSecond: 1500 };
const MINUTE_MS = 60_000;
/** What is heard of the service waits so long at the most, also beside sixteen cameras. */
const ANSWER_MS_MAX = 5000;
/** A picture is so old at the most when it comes: the distance of two key frames, and what is on the way. */
const DELAY_MS_MAX = 8000;
const TILE = { width: 640, height: 360 };
const BASIC = `Authorization: Basic ${Buffer.from(`root:${ROOT_PASSWORD}`).toString("base64")}`;

let recorder: PageService;
let small: PacedSource;
let main: PacedSource;
let link: ThinLink;
let ids: readonly string[];
let browser: PageBrowser;

beforeAll(async () => {
  if (reason !== undefined) return;
  link = new ThinLink();
  browser = new PageBrowser(link.startingThere(CHROMIUM ?? ""));
  small = await PacedSource.start(TILES, SMALL_CLIP);
  main = await PacedSource.start(TILES, MAIN);
  recorder = await PageService.start({ listen: "0.0.0.0" });
  const cameras = Array.from({ length: TILES }, (_, index) => ({
    name: `Camera ${index + 1}`,
    url: main.url(index),
    alternativeUrl: small.url(index),
  }));
  ids = await recorder.service.addCameras(cameras);
});

afterAll(async () => {
  await browser?.close();
  await recorder?.stop();
  await small?.stop();
  await main?.stop();
  await link?.close();
});

/** Pictures that each tile has shown so far. */
const picturesOf = ({ page }: PageVisit): Promise<number[]> =>
  page.evaluate(
    "[...document.querySelectorAll('video')].map((video) => video.getVideoPlaybackQuality().totalVideoFrames)",
  );

/** Pictures that each tile shows in a while. */
async function shownIn(visit: PageVisit, ms: number): Promise<number[]> {
  const before = await picturesOf(visit);
  await pause(ms);
  return (await picturesOf(visit)).map((count, tile) => count - (before[tile] ?? 0));
}

/** What a client over the link saw in a while. */
async function measured(client: LiveSocketClient, ms: number) {
  const from = client.messages.length;
  const answersMs: number[] = [];
  const delaysMs: number[] = [];
  const feeds = new Set<number>();
  client.onBinary = (message) => {
    if (message.readUInt8(0) === 1) return;
    feeds.add(message.readUInt32BE(4));
    delaysMs.push(Date.now() - Number(message.readBigUInt64BE(16)) / 1000);
  };
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const count = client.of("error").length;
    const asked = performance.now();
    client.say({ type: "leave", id: 65_535 });
    while (client.of("error").length === count && performance.now() - asked < MINUTE_MS) await pause(20);
    answersMs.push(performance.now() - asked);
    await pause(500);
  }
  const dropped = client.messages
    .slice(from)
    .filter((message) => String(message).includes('"dropped"')).length;
  return { answerMs: Math.max(...answersMs), delayMs: Math.max(...delaysMs), feeds: feeds.size, dropped };
}

describe.skipIf(reason !== undefined)(`a link of 2 Mbit/s that loses 1 %${notHere(reason)}`, () => {
  it(
    "carries something new of every camera to a client that asks for all of their main streams, soon",
    async () => {
      const by = await link.relayTo(recorder.service.httpPort);
      link.narrow(RATE);
      try {
        const client = new LiveSocketClient(0, { by, path: "/api/live", headers: [BASIC] });
        await client.greet();
        for (const [index, channel] of ids.entries())
          client.say({ type: "watch", id: index + 1, channel, tile: TILE, stream: "main" });
        await measured(client, 15_000);
        const figures = await measured(client, 30_000);
        client.close();
        expect(figures.feeds, JSON.stringify(figures)).toBe(TILES);
        expect(figures.dropped).toBeGreaterThan(0);
        expect(
          [figures.answerMs < ANSWER_MS_MAX, figures.delayMs < DELAY_MS_MAX],
          JSON.stringify(figures),
        ).toEqual([true, true]);
      } finally {
        link.widen();
      }
    },
    3 * MINUTE_MS,
  );

  it(
    "shows a wall that says so, on which every picture goes on; which is as before when the link is",
    () =>
      browser.visit(`http://${link.address}:${recorder.service.httpPort}`, {}, async (visit) => {
        await visit.logIn();
        await expect
          .poll(async () => Math.min(...(await shownIn(visit, 3000))), { timeout: 2 * MINUTE_MS })
          .toBeGreaterThan(20);
        await visit.press("d");
        link.narrow(RATE);
        try {
          const says = visit.page
            .getByRole("status")
            .getByText("The link is slow: smaller and fewer pictures are shown");
          await says.waitFor({ timeout: MINUTE_MS });
          await pause(20_000);
          const shown = await shownIn(visit, 20_000);
          await visit.shot("wall over a thin link");
          expect(Math.min(...shown), shown.join(" ")).toBeGreaterThan(0);
          // Somebody who leads another tile or asks for events is answered meanwhile.
          const asked = performance.now();
          await visit.page.evaluate("fetch('/api/session').then((answer) => answer.status)");
          expect(performance.now() - asked).toBeLessThan(2 * ANSWER_MS_MAX);
        } finally {
          link.widen();
        }
        await expect
          .poll(async () => Math.min(...(await shownIn(visit, 3000))), { timeout: 3 * MINUTE_MS })
          .toBeGreaterThan(20);
        await expect
          .poll(() => visit.page.getByRole("status").getByText(/link/).count(), { timeout: 3 * MINUTE_MS })
          .toBe(0);
        await visit.shot("wall after a thin link");
      }),
    10 * MINUTE_MS,
  );
});
