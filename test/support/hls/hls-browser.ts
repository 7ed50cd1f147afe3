import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";

const require = createRequire(import.meta.url);

/** What a page says of its player. */
export interface Playing {
  readonly currentTime: number;
  readonly width: number;
  readonly decodedFrames: number;
  readonly decodedAudioBytes: number;
  /** Seconds behind the live edge, as hls.js counts. */
  readonly latency: number;
  readonly partsLoaded: number;
  readonly segmentsLoaded: number;
  readonly discontinuities: number;
  /** Unix milliseconds of the picture that is shown; undefined while none is. */
  readonly shownMs: number | undefined;
  readonly errors: readonly string[];
}

/** A page that plays a playlist with hls.js, low latency on. */
export async function playWithHlsJs(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.setContent("<video id=video muted autoplay playsinline></video>");
  await page.addScriptTag({ content: readFileSync(require.resolve("hls.js/dist/hls.js"), "utf8") });
  await page.evaluate(PLAYER.replace("URL", JSON.stringify(url)));
  return page;
}

const PLAYER = `
  const video = document.getElementById("video");
  const state = { partsLoaded: 0, segmentsLoaded: 0, discontinuities: new Set(), errors: [] };
  const hls = new Hls({ lowLatencyMode: true });
  hls.on(Hls.Events.FRAG_LOADED, (_, { part, frag }) => {
    if (frag.sn === "initSegment") return;
    if (part) state.partsLoaded += 1; else state.segmentsLoaded += 1;
    state.discontinuities.add(frag.cc);
  });
  hls.on(Hls.Events.ERROR, (_, { details, fatal, reason, error }) =>
    state.errors.push([details, fatal ? "fatal" : "", reason, error && error.message].join(" ")));
  hls.loadSource(URL);
  hls.attachMedia(video);
  video.play().catch((error) => state.errors.push(String(error)));
  window.playing = () => ({
    currentTime: video.currentTime,
    width: video.videoWidth,
    decodedFrames: video.getVideoPlaybackQuality().totalVideoFrames,
    decodedAudioBytes: video.webkitAudioDecodedByteCount,
    latency: hls.latency,
    partsLoaded: state.partsLoaded,
    segmentsLoaded: state.segmentsLoaded,
    discontinuities: state.discontinuities.size,
    shownMs: hls.playingDate ? hls.playingDate.getTime() : undefined,
    errors: state.errors,
  });
`;

export function playing(page: Page): Promise<Playing> {
  return page.evaluate("window.playing()");
}
