import { expect } from "vitest";
import { GST_CLIPS } from "../camera/camera-clips.js";
import { GstRtspServer } from "../rtsp/gst-rtsp-server.js";
import { type Clip, SMALL_CLIP } from "../service/paced-source.js";
import { PageBrowser } from "./page-browser.js";
import { PageService } from "./page-service.js";
import type { PageVisit, VisitOptions } from "./page-visit.js";

export const RECORDED_MS = 12_000;
/** What Gate and Yard send: enough pictures to be compared one by one, and less work for the browser than 25 a second. */
export const RECORDED_CLIP: Clip = {
  ...SMALL_CLIP,
  ...{ fps: 15, gopFrames: 15, kilobitsPerSecond: 200, counter: true },
};

/** One recorder and one browser for all flows of the recordings screen. */
export class RecordingsWorld {
  readonly browser = new PageBrowser();
  #box: PageService | undefined;
  #sounding: GstRtspServer | undefined;
  #doorId = "";
  #recordedMs = 0;

  /** Gate and Yard count their pictures in step; Door has a picture of another size, and sound. */
  async start(): Promise<void> {
    const clip = { ...GST_CLIPS.h264, sizes: ["480x270"], seconds: 3 };
    const [box, sounding] = await Promise.all([
      PageService.start({ cameras: ["Gate", "Yard"], clip: RECORDED_CLIP }),
      GstRtspServer.start({ videos: [], clips: { door: clip } }),
    ]);
    this.#box = box;
    this.#sounding = sounding;
    const door = { name: "Door", url: sounding.url("door-aac"), sound: true };
    [this.#doorId = ""] = await box.service.addCameras([door]);
    await box.service.recorded([...box.ids, this.#doorId], RECORDED_MS * 1000);
    this.#recordedMs = Math.floor((Date.now() - RECORDED_MS / 2) / 1000) * 1000;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.#box?.stop();
    await this.#sounding?.stop();
  }

  get box(): PageService {
    if (this.#box === undefined) throw new Error("the world has not been started");
    return this.#box;
  }

  /** Gate's and Yard's. */
  get ids(): readonly string[] {
    return this.box.ids;
  }

  get doorId(): string {
    return this.#doorId;
  }

  /** A moment that all cameras have recorded, with some seconds around it. */
  get recordedMs(): number {
    return this.#recordedMs;
  }

  /** Opens Gate and Yard, or other cameras, at the recorded moment, standing; waits until all show a picture. */
  visit(
    options: VisitOptions,
    act: (visit: PageVisit) => Promise<void>,
    ids: readonly string[] = this.ids,
  ): Promise<void> {
    return this.browser.visit(
      this.box.origin,
      { address: this.#addressOf(ids), ...options },
      async (opened) => {
        await opened.logIn();
        await waitForPictures(opened, ids.length);
        await act(opened);
      },
    );
  }

  /** The same on the page of the call before, for what opens no panel and marks nothing: both stay. */
  goOn(options: VisitOptions, act: (visit: PageVisit) => Promise<void>): Promise<void> {
    return this.browser.goOn(
      this.box.origin,
      { address: this.#addressOf(this.ids), ...options },
      async (opened) => {
        await opened.logIn();
        await waitForPictures(opened, this.ids.length);
        await act(opened);
      },
    );
  }

  #addressOf(ids: readonly string[]): string {
    return `#/playback?channel=${ids.join(",")}&time=${this.recordedMs}`;
  }
}

/** So many cameras show a picture. */
export async function waitForPictures({ page }: PageVisit, count: number): Promise<void> {
  const shown = () =>
    page.evaluate<number>(
      "[...document.querySelectorAll('video:not(.spare)')].filter((video) => video.readyState >= 2).length",
    );
  await expect.poll(shown).toBe(count);
}

/** The moment that the timeline's slider has, Unix milliseconds. */
export async function momentOf({ page }: PageVisit): Promise<number> {
  return Number(await page.getByRole("slider", { name: "Timeline" }).getAttribute("aria-valuenow"));
}

/** How much time the timeline shows, milliseconds. */
export async function spanOf({ page }: PageVisit): Promise<number> {
  const slider = page.getByRole("slider", { name: "Timeline" });
  const [from, to] = [await slider.getAttribute("aria-valuemin"), await slider.getAttribute("aria-valuemax")];
  return Number(to) - Number(from);
}

/** All notices that are shown from now on, also those that are gone again. */
export async function followNotices({ page }: PageVisit): Promise<() => Promise<string[]>> {
  await page.evaluate(`window.saidNotices = [];
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const { textContent } of addedNodes) window.saidNotices.push(textContent);
    }).observe(document.querySelector(".notices"), { childList: true })`);
  return () => page.evaluate<string[]>("window.saidNotices");
}

/** A moment as the page's fields write and read it, UTC. */
export function fieldTime(moment: number): string {
  return new Date(moment).toISOString().slice(0, 19).replace("T", " ");
}
