import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { g711ToPcm } from "../../../src/live/codec/g711.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { launchChromium, SAME_COLORS } from "../../support/media/chromium.js";
import { ffmpegFilter, hear, tonePcm } from "../../support/media/tone.js";
import { noBrowser } from "../../support/page/page-browser.js";
import { PageService } from "../../support/page/page-service.js";
import { PageVisit, type VisitOptions } from "../../support/page/page-visit.js";
import { GstTalkCamera } from "../../support/rtsp/gst-talk-camera.js";

/** A name that is this machine to the browser of this file, and no secure origin. */
const PLAIN_HOST = "recorder.test";

let directory: TemporaryDirectory;
let recorder: PageService;
let camera: GstTalkCamera;
let browser: Browser;

beforeAll(async () => {
  if (noBrowser !== undefined) return;
  directory = new TemporaryDirectory("page-talk");
  const pcm = tonePcm({ frequency: 700, level: 0.5, rate: 48_000, seconds: 10 });
  const input = ["-f", "s16le", "-ar", "48000", "-ac", "1", "-i", "pipe:0"];
  writeFileSync(directory.join("voice.wav"), await ffmpegFilter([...input, "-f", "wav", "pipe:1"], pcm));
  camera = await GstTalkCamera.start();
  recorder = await PageService.start({ listen: "127.0.0.1" });
  await recorder.service.addCameras([
    ...(["pcmu", "mute"] as const).map((name) => ({
      name: name === "pcmu" ? "Door" : "Yard",
      url: camera.url(name),
      format: "MJPEG" as const,
      archivingDisabled: true,
      soundVolume: 100,
    })),
    { name: "Gate", url: camera.url("pcmu"), format: "MJPEG" as const, archivingDisabled: true },
  ]);
  browser = await launchChromium([
    ...SAME_COLORS,
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
    `--use-file-for-fake-audio-capture=${directory.join("voice.wav")}`,
    `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
  ]);
});

afterAll(async () => {
  await browser?.close();
  await recorder?.stop();
  await camera?.stop();
  directory?.remove();
});

/** Opens the wall, with the camera as a person has it in front of them. */
async function visit(
  options: VisitOptions,
  act: (open: PageVisit) => Promise<void>,
  origin = recorder.origin,
) {
  const open = await PageVisit.open(browser, origin, { patienceMs: 60_000, ...options });
  try {
    await open.logIn();
    await act(open);
    expect(open.problems, "what the page did wrong").toEqual([]);
  } catch (error) {
    await open.keepPicture(`failed ${expect.getState().currentTestName ?? ""}`).catch(() => undefined);
    throw error;
  } finally {
    await open.close();
  }
}

const tile = ({ page }: PageVisit, name: string) => page.getByRole("listitem", { name, exact: true });

async function choose(open: PageVisit, name: string): Promise<void> {
  await open.button(`Enlarge ${name}`).first().click();
}

async function heardSince(count: number) {
  await expect.poll(() => camera.heard()[count]?.hasEnded).toBe(true);
  const { sound } = camera.heard()[count] ?? { sound: Buffer.alloc(0) };
  // The browser's own processing is louder and softer at the beginning.
  return { seconds: sound.length / 8000, ...hear(g711ToPcm([sound.subarray(3200, 8000)], "mu"), 8000) };
}

const talkButton = (open: PageVisit, name: string) =>
  tile(open, name).getByRole("button", { name: "Hold to speak" });

describe.skipIf(noBrowser !== undefined)(`talking from the page${notHere(noBrowser)}`, () => {
  it("is heard at the camera while the button is held, and a line says when to speak", () =>
    visit({}, async (open) => {
      const before = camera.heard().length;
      await choose(open, "Door");
      await talkButton(open, "Door").hover();
      await open.page.mouse.down();
      await tile(open, "Door").getByText("Speak now").waitFor();
      await open.shot("talking");
      expect([await open.violations(), await open.isTooWide()]).toEqual([[], false]);
      await expect.poll(() => camera.heard()[before]?.sound.length ?? 0).toBeGreaterThan(8000);
      await open.page.mouse.up();
      const { frequency, seconds } = await heardSince(before);
      expect(Math.abs(frequency - 700)).toBeLessThan(10);
      expect(seconds).toBeGreaterThan(1);
      await tile(open, "Door").getByText("Speak now").waitFor({ state: "detached" });
      expect(await talkButton(open, "Door").getAttribute("aria-pressed")).toBe("false");
    }));

  it.each(["t", "Space"])("works by the key %s, held", (key) =>
    visit({}, async (open) => {
      const before = camera.heard().length;
      await choose(open, "Door");
      if (key === "Space") await talkButton(open, "Door").focus();
      await open.page.keyboard.down(key);
      await expect.poll(() => camera.heard()[before]?.sound.length ?? 0).toBeGreaterThan(1600);
      await open.page.keyboard.up(key);
      await heardSince(before);
    }),
  );

  it("works on a phone by a finger that stays", () =>
    visit({ size: "phone", language: "en" }, async (open) => {
      const before = camera.heard().length;
      await choose(open, "Door");
      const box = await talkButton(open, "Door").boundingBox();
      const session = await open.page.context().newCDPSession(open.page);
      const x = (box?.x ?? 0) + (box?.width ?? 0) / 2;
      const y = (box?.y ?? 0) + (box?.height ?? 0) / 2;
      await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
      await expect.poll(() => camera.heard()[before]?.sound.length ?? 0).toBeGreaterThan(1600);
      await open.shot("talking");
      expect([await open.violations(), await open.isTooWide()]).toEqual([[], false]);
      await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      await heardSince(before);
    }));

  it("ends when the window loses the focus", () =>
    visit({}, async (open) => {
      const before = camera.heard().length;
      await choose(open, "Door");
      await talkButton(open, "Door").hover();
      await open.page.mouse.down();
      await expect.poll(() => camera.heard()[before]?.sound.length ?? 0).toBeGreaterThan(1600);
      await open.page.evaluate("window.dispatchEvent(new Event('blur'))");
      await heardSince(before);
      await open.page.mouse.up();
    }));

  it("says in words that a camera takes no sound, and offers nothing where sound is switched off", () =>
    visit({}, async (open) => {
      await choose(open, "Yard");
      await talkButton(open, "Yard").hover();
      await open.page.mouse.down();
      await open.page.getByText(/takes no sound/).waitFor();
      await open.page.mouse.up();
      await choose(open, "Gate");
      await tile(open, "Gate").getByRole("button", { name: "Save a picture" }).waitFor();
      expect(await talkButton(open, "Gate").count()).toBe(0);
    }));

  it("says over plain HTTP that a microphone needs a secure page", () =>
    visit(
      {},
      async (open) => {
        await choose(open, "Door");
        await talkButton(open, "Door").click();
        await open.page
          .getByText("A microphone needs a secure page: open the recorder over HTTPS.")
          .waitFor();
        await open.shot("talking-not-secure");
      },
      recorder.origin.replace("127.0.0.1", PLAIN_HOST),
    ));
});
