import type { Browser, Page } from "playwright-core";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { playWithHlsJs } from "../../support/hls/hls-browser.js";
import { launchChromium } from "../../support/media/chromium.js";
import { type ShownPicture, shownPictures } from "../../support/page/picture-clock.js";
import { type Clip, PacedSource, pacedClockOf } from "../../support/service/paced-source.js";
import { pause, ROOT_PASSWORD, Service } from "../../support/service/service.js";
import { type Bench, type Figure, percentile } from "../figure.js";

/** 720p, which software decodes in time beside everything else. */
const CLIP: Clip = {
  width: 1280,
  height: 720,
  fps: 25,
  gopFrames: 50,
  kilobitsPerSecond: 2000,
  seconds: 10,
  counter: true,
};
const CLIP_FRAMES = CLIP.fps * CLIP.seconds;
const WATCHED_MS = 60_000;
const QUICK_WATCHED_MS = 15_000;
/** The player steers to its place in the first seconds. */
const SETTLE_MS = 8000;
const HAND_OVER_P95_MS = 150;
const CAMERA_P95_MS = 400;

/** When a picture of the clip left the camera, and when the recorder handed it to a viewer, Unix milliseconds. */
interface Sent {
  readonly sentMs: number;
  readonly handedMs: number;
}

/** How late a live picture is on the recorder's page, beside the same camera by LL-HLS in hls.js. */
export const pageDelayBench: Bench = {
  name: "page-delay",
  about:
    "a live picture on the page: from the camera and from the recorder's hand-over to the screen, beside LL-HLS",
  async *run({ quick }) {
    const watchedMs = quick ? QUICK_WATCHED_MS : WATCHED_MS;
    const directory = new TemporaryDirectory("bench-page");
    const source = await PacedSource.start(1, CLIP);
    const service = await Service.start({ dataDir: directory.join("data") });
    let browser: Browser | undefined;
    try {
      const [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
      await service.recorded([id], 5_000_000, 60_000);
      const sent = new SentPictures(service, id);
      browser = await launchChromium();
      yield* figures("page", delays(await onThePage(browser, service, watchedMs), sent));
      yield* figures("LL-HLS", delays(await overHls(browser, { service, id, watchedMs }), sent));
      sent.stop();
    } finally {
      await browser?.close();
      await service.stop();
      await source.stop();
      directory.remove();
    }
  },
};

async function onThePage(browser: Browser, service: Service, watchedMs: number): Promise<ShownPicture[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  await page.goto(`http://127.0.0.1:${service.httpPort}/`);
  await page.getByLabel("Name", { exact: true }).fill("root");
  await page.getByLabel("Password", { exact: true }).fill(ROOT_PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  return await watched(page, watchedMs);
}

async function overHls(
  browser: Browser,
  { service, id, watchedMs }: { service: Service; id: string; watchedMs: number },
): Promise<ShownPicture[]> {
  const { body } = await service.get(`/hls?channelid=${id}`);
  const name = body.toString();
  return await watched(
    await playWithHlsJs(browser, `http://127.0.0.1:${service.httpPort}/hls/${name}`),
    watchedMs,
  );
}

async function watched(page: Page, watchedMs: number): Promise<ShownPicture[]> {
  // Not waitForFunction: the page's policy lets nobody make code of a text.
  while (!(await page.evaluate("(document.querySelector('video')?.videoWidth ?? 0) > 0"))) await pause(100);
  await pause(SETTLE_MS);
  const shown = await shownPictures(page, watchedMs);
  await page.close();
  return shown;
}

/** Watches the camera over /video, whose pictures say when the camera sent them. */
class SentPictures {
  /** By number in the clip: all times that it was sent. */
  readonly byNumber = new Map<number, Sent[]>();
  #isOver = false;

  constructor(service: Service, channelId: string) {
    void this.#read(service, channelId).catch((error: unknown) => {
      if (!this.#isOver) throw error;
    });
  }

  stop(): void {
    this.#isOver = true;
  }

  async #read(service: Service, channelId: string): Promise<void> {
    const { parts, close } = await service.video(`channelid=${channelId}`);
    for await (const { body } of parts) {
      if (this.#isOver) break;
      const clock = pacedClockOf(body);
      if (clock === undefined) continue;
      const number = clock.frame % CLIP_FRAMES;
      const times = this.byNumber.get(number) ?? [];
      this.byNumber.set(number, [...times, { sentMs: clock.sentUs / 1000, handedMs: Date.now() }]);
    }
    close();
  }
}

interface Delays {
  readonly fromCameraMs: readonly number[];
  readonly fromHandOverMs: readonly number[];
  /** Pictures shown a second. */
  readonly rate: number;
}

function delays(shown: readonly ShownPicture[], { byNumber }: SentPictures): Delays {
  const found = shown.flatMap(({ number, shownMs }) => {
    const sent = byNumber.get(number)?.findLast(({ sentMs }) => sentMs <= shownMs);
    return sent === undefined ? [] : [{ camera: shownMs - sent.sentMs, handOver: shownMs - sent.handedMs }];
  });
  const spanMs = (shown.at(-1)?.shownMs ?? 0) - (shown[0]?.shownMs ?? 0);
  return {
    fromCameraMs: found.map(({ camera }) => camera),
    fromHandOverMs: found.map(({ handOver }) => handOver),
    rate: (shown.length * 1000) / spanMs,
  };
}

function* figures(way: "page" | "LL-HLS", { fromCameraMs, fromHandOverMs, rate }: Delays): Generator<Figure> {
  const isPage = way === "page";
  const peer = "headless Chromium, 720p25, software decoding";
  yield { name: `${way}: hand-over to display, p50`, value: percentile(fromHandOverMs, 0.5), unit: "ms" };
  yield {
    name: `${way}: hand-over to display, p95`,
    value: percentile(fromHandOverMs, 0.95),
    unit: "ms",
    ...(isPage ? { wanted: { atMost: HAND_OVER_P95_MS }, peer } : {}),
  };
  yield { name: `${way}: camera to display, p50`, value: percentile(fromCameraMs, 0.5), unit: "ms" };
  yield {
    name: `${way}: camera to display, p95`,
    value: percentile(fromCameraMs, 0.95),
    unit: "ms",
    ...(isPage ? { wanted: { atMost: CAMERA_P95_MS }, peer } : {}),
  };
  yield { name: `${way}: pictures shown a second`, value: rate, unit: "" };
}
