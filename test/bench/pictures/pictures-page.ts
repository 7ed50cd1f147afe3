import { once } from "node:events";
import { CAMERA_CLIP, pacedClockOf } from "../../support/service/paced-source.js";
import { apiTime, pause, type Service, type VideoAnswer } from "../../support/service/service.js";
import { type BenchOptions, type Figure, percentile } from "../figure.js";
import { withRecordedCameras } from "../recorded-cameras.js";

const CAMERAS = 16;
const THUMBNAILS = 64;
const RECORDED_US = 40_000_000;
const PAGES = 5;
const QUICK_PAGES = 2;
const DELAY_MS_MAX = 50;
const QUIET_MS = 5000;

/**
 * A page of thumbnails that nobody asked for before, each of a key frame of its own, while all cameras record; and how
 * much later than without it the frames come through meanwhile.
 */
export async function* pageOfStills(options: BenchOptions): AsyncGenerator<Figure> {
  yield* withRecordedCameras(
    { name: "page", cameras: CAMERAS, recordedUs: RECORDED_US },
    async function* ({ service, ids }) {
      const watch = new Delays(await service.video(`channelid=${ids[0]}`));
      const quietMs = await watch.during(() => pause(QUIET_MS));
      const pages: { lastMs: number; delaysMs: readonly number[] }[] = [];
      for (let page = 0; page < (options.quick ? QUICK_PAGES : PAGES); page++) {
        let lastMs = 0;
        const delaysMs = await watch.during(async () => {
          lastMs = await askPage(service, ids, page);
        });
        pages.push({ lastMs, delaysMs });
        await pause(500);
      }
      watch.close();
      yield* figures(pages, quietMs);
    },
  );
}

function figures(
  pages: readonly { readonly lastMs: number; readonly delaysMs: readonly number[] }[],
  quietMs: readonly number[],
): Figure[] {
  const name = `page of ${THUMBNAILS} stills of 1080p, cold`;
  const usualMs = percentile(quietMs, 0.5);
  const added = (delaysMs: readonly number[]): number => Math.max(...delaysMs) - usualMs;
  return [
    {
      name: `${name}: to the last`,
      value: percentile(
        pages.map(({ lastMs }) => lastMs),
        0.5,
      ),
      unit: "ms",
      peer: `${CAMERAS} streams record`,
    },
    {
      name: `${name}: a frame's worst added delay`,
      value: percentile(
        pages.map(({ delaysMs }) => added(delaysMs)),
        0.5,
      ),
      unit: "ms",
      wanted: { atMost: DELAY_MS_MAX },
      peer: `median of ${pages.length} pages; without a page ${added(quietMs).toFixed(0)} ms`,
    },
  ];
}

/** Milliseconds until the last of the page is there; pages have no key frame in common. */
async function askPage(service: Service, ids: readonly string[], page: number): Promise<number> {
  const gopUs = (CAMERA_CLIP.gopFrames / CAMERA_CLIP.fps) * 1e6;
  const fragments = await Promise.all(ids.map((id) => service.fragments(id)));
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: THUMBNAILS }, async (_, at) => {
      const id = ids[at % ids.length] ?? "";
      const row = Math.floor(at / ids.length);
      const [fragment] = fragments[at % ids.length] ?? [];
      const momentUs = (fragment?.fromUs ?? 0) + (page * (THUMBNAILS / ids.length) + row) * gopUs + 100_000;
      const path = `/site?channelid=${id}&mode=archive&starttime=${apiTime(momentUs)}`;
      const { status, body } = await service.get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${body.toString()}`);
    }),
  );
  return performance.now() - startedMs;
}

/** How long frames take from the camera through the service to a viewer, on the way that recording takes too. */
class Delays {
  readonly #video: VideoAnswer;
  #delaysMs: number[] = [];

  constructor(video: VideoAnswer) {
    this.#video = video;
    this.#read().catch((error: Error) => {
      if (!video.response.destroyed) console.error(`  the viewer ended: ${error.message}`);
    });
  }

  /** The delays of the frames that came while `act` ran, at least of one. */
  async during(act: () => Promise<void>): Promise<readonly number[]> {
    this.#delaysMs = [];
    await act();
    while (this.#delaysMs.length === 0) await once(this.#video.response, "data");
    return this.#delaysMs;
  }

  close(): void {
    this.#video.close();
  }

  async #read(): Promise<void> {
    for await (const part of this.#video.parts) {
      const clock = pacedClockOf(part.body.subarray(0, 4096));
      if (clock === undefined) continue;
      this.#delaysMs.push(performance.timeOrigin + part.arrivedMs - clock.sentUs / 1000);
    }
  }
}
