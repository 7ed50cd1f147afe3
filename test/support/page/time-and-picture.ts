import type { Page } from "playwright-core";
import { type Clip, COUNTER, pacedClockOf, SMALL_CLIP } from "../service/paced-source.js";
import type { Service, VideoAnswer } from "../service/service.js";

/** Numbers its pictures for longer than a picture may be wrong without being noticed. */
export const NUMBERED_CLIP: Clip = {
  ...SMALL_CLIP,
  ...{ width: 640, height: 360, kilobitsPerSecond: 1000, seconds: 20, gopFrames: 50, counter: true },
};
/** Between two looks: shorter than a picture lasts. */
const LOOK_MS = 20;
const CLIP_PICTURES = NUMBERED_CLIP.fps * NUMBERED_CLIP.seconds;

/** What the page showed in one moment. */
export interface Look {
  /** The device's clock, Unix milliseconds. */
  readonly nowMs: number;
  /** The time that the page says, Unix milliseconds. */
  readonly saidMs: number;
  /** The page says that a picture of this time is on its way. */
  readonly isAwaited: boolean;
  /** The page says that the pictures stand still. */
  readonly isStanding: boolean;
  readonly isLive: boolean;
  /** Of each video, what its picture counts; undefined where the page says why there is none, or none has come. */
  readonly numbers: readonly (number | null)[];
  readonly speed: number;
}

/** The times of a paced camera's pictures, as the recorder tells them while it records. */
export class PictureTimes {
  readonly #times = new Map<number, number[]>();
  #isOver = false;

  /** Follows a camera until `stop`. */
  static async follow(service: Service, channelId: string): Promise<PictureTimes> {
    const times = new PictureTimes();
    const { parts, close } = await service.video(`channelid=${channelId}`);
    void times.#read(parts).finally(close);
    return times;
  }

  stop(): void {
    this.#isOver = true;
  }

  async #read(parts: VideoAnswer["parts"]): Promise<void> {
    for await (const { body, timestampMs } of parts) {
      if (this.#isOver) return;
      const clock = pacedClockOf(body);
      if (clock === undefined) continue;
      const number = clock.frame % CLIP_PICTURES;
      this.#times.set(number, [...(this.#times.get(number) ?? []), timestampMs]);
    }
  }

  /** How far a time is from the nearest one at which the picture of a number was taken, milliseconds. */
  apartMs(number: number, timeMs: number): number {
    return Math.min(...(this.#times.get(number) ?? []).map((takenMs) => Math.abs(takenMs - timeMs)));
  }
}

/** Looks at what the screen shows, for a while: at each picture of a camera at least once, or so often. */
export async function lookAt(page: Page, durationMs: number, everyMs = LOOK_MS): Promise<Look[]> {
  return await page.evaluate<Look[]>(`(${look})(${JSON.stringify({ durationMs, everyMs, ...COUNTER })})`);
}

/** A hand on the timeline that is held already, drawn to and fro. */
export interface DrawnHand {
  /** Or until `window.handRests`. */
  readonly durationMs: number;
  /** There and back, fast in the middle; or over so many places, each with one picture of the screen. */
  readonly passMs?: number;
  readonly places?: number;
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** It tells its place once for each picture of the screen, however busy the test is. */
export async function drawHand(page: Page, hand: DrawnHand): Promise<void> {
  await page.evaluate(`(${draw})(${JSON.stringify(hand)})`);
}

/** Runs in the page. */
const draw = `async ({ durationMs, passMs, places, left, right, y }) => {
  const slider = document.querySelector(".timeline-slider");
  const begun = performance.now();
  const swung = (forMs) => (1 - Math.cos((forMs / passMs) * 2 * Math.PI)) / 2;
  const jumped = (jump) => Math.abs(((jump + places - 1) % (2 * places - 2)) - places + 1) / (places - 1);
  let jump = 0;
  for (let now = begun; now - begun < durationMs && window.handRests !== true; now = performance.now()) {
    const part = places === undefined ? swung(now - begun) : jumped(jump++);
    const at = { clientX: left + (right - left) * part, clientY: y };
    slider.dispatchEvent(new PointerEvent("pointermove", { ...at, pointerId: 1, pointerType: "mouse", bubbles: true, buttons: 1 }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}`;

/** Runs in the page. */
const look = `async ({ durationMs, everyMs, bits, side }) => {
  const [width, height] = [bits * side, side];
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  // All of the count at once: the browser may go on to another picture between two drawings.
  const numberOf = (figure) => {
    // What a hand is drawn over is seen in front of the video.
    const drawn = figure.querySelector(".picture-video canvas:not([hidden])");
    const seen = drawn ?? figure.querySelector("video:not(.spare)");
    if (seen.readyState < 2 || figure.querySelector(".picture-words") !== null) return null;
    const scale = (seen.videoWidth ?? seen.width) / ${NUMBERED_CLIP.width};
    context.drawImage(seen, 0, 0, width * scale, height * scale, 0, 0, width, height);
    const { data } = context.getImageData(0, side / 2, width, 1);
    let number = 0;
    for (let bit = 0; bit < bits; bit += 1) if (data[Math.floor((bit + 0.5) * side) * 4] > 127) number += 2 ** bit;
    return number;
  };
  const end = performance.now() + durationMs;
  const looks = [];
  do {
    // The screen's pictures are more than the camera's, and each look costs what decoding does.
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const time = document.querySelector(".moment-time");
    looks.push({
      nowMs: Date.now(),
      saidMs: Date.parse(time.dateTime),
      isAwaited: time.getAttribute("aria-busy") === "true",
      isStanding: document.querySelector(".pictures-banner") !== null,
      isLive: document.querySelector(".live-button")?.getAttribute("aria-pressed") === "true",
      numbers: [...document.querySelectorAll(".pictures figure")].map(numberOf),
      speed: Number(document.querySelector(".speed").value),
    });
  } while (performance.now() < end);
  return looks;
}`;
