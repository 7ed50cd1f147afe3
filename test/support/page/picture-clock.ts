import type { Page } from "playwright-core";
import { COUNTER } from "../service/paced-source.js";

/** A picture that a browser has shown. */
export interface ShownPicture {
  /** Its number in the camera's clip. */
  readonly number: number;
  /** When it was shown, Unix milliseconds. */
  readonly shownMs: number;
}

/**
 * Reads the counter of each picture that the page's first video shows for a while. The browser says when a picture reaches
 * the screen; what the picture is, it says itself.
 */
export async function shownPictures(page: Page, durationMs: number): Promise<ShownPicture[]> {
  return await page.evaluate<ShownPicture[]>(`(${watch})(${JSON.stringify({ durationMs, ...COUNTER })})`);
}

/** Runs in the page. */
const watch = `async ({ durationMs, bits, side }) => {
  const video = document.querySelector("video");
  const canvas = new OffscreenCanvas(bits, 1);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const shown = [];
  let isOver = false;
  const onPicture = (_, { expectedDisplayTime, width }) => {
    if (isOver) return;
    video.requestVideoFrameCallback(onPicture);
    // The middle of each square, whatever size the stream has that the page was given.
    const scale = width / video.videoWidth;
    for (let bit = 0; bit < bits; bit += 1)
      context.drawImage(video, (bit + 0.25) * side * scale, 0.25 * side * scale, side / 2, side / 2, bit, 0, 1, 1);
    const { data } = context.getImageData(0, 0, bits, 1);
    let number = 0;
    for (let bit = 0; bit < bits; bit += 1) if (data[bit * 4] > 127) number += 2 ** bit;
    shown.push({ number, shownMs: performance.timeOrigin + expectedDisplayTime });
  };
  video.requestVideoFrameCallback(onPicture);
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  isOver = true;
  return shown;
}`;

/**
 * Reads the counters of the pictures that all videos of the page show, at each picture of the screen for a while. Videos that
 * show no picture yet have none.
 */
export async function numbersTogether(page: Page, durationMs: number): Promise<number[][]> {
  return await page.evaluate<number[][]>(`(${watchTogether})(${JSON.stringify({ durationMs, ...COUNTER })})`);
}

/** Runs in the page. */
const watchTogether = `async ({ durationMs, bits, side }) => {
  const context = new OffscreenCanvas(bits, 1).getContext("2d", { willReadFrequently: true });
  const numberOf = (video) => {
    for (let bit = 0; bit < bits; bit += 1)
      context.drawImage(video, (bit + 0.25) * side, 0.25 * side, side / 2, side / 2, bit, 0, 1, 1);
    const { data } = context.getImageData(0, 0, bits, 1);
    let number = 0;
    for (let bit = 0; bit < bits; bit += 1) if (data[bit * 4] > 127) number += 2 ** bit;
    return number;
  };
  const end = performance.now() + durationMs;
  const shown = [];
  do {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    shown.push([...document.querySelectorAll("video")].map(numberOf));
  } while (performance.now() < end);
  return shown;
}`;
