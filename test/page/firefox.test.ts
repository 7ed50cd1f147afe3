import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { noFirefox, visitWithFirefox } from "../support/page/firefox-visit.js";
import { GstRtspServer } from "../support/rtsp/gst-rtsp-server.js";
import { ROOT_PASSWORD, Service } from "../support/service/service.js";

/** Times that it is done; none in `npm test`, because Firefox alone takes as long as many tests. */
const TIMES = Number(process.env.NVRD_TEST_PAGE_FIREFOX ?? 0);
const reason = noFirefox ?? (TIMES > 0 ? undefined : "npm run torture -- page");

interface Played {
  readonly fault?: string;
  readonly agent: string;
  readonly playsH265: boolean;
  readonly live: { readonly width: number; readonly frames: number };
  readonly recorded: { readonly width: number; readonly frames: number };
}

/** Waits until an element shows moving pictures, and says of which size. */
const PLAYED = `
  const played = async () => {
    const shown = await until(() => [...document.querySelectorAll("video")].find((video) =>
      video.videoWidth > 0 && video.getVideoPlaybackQuality().totalVideoFrames > 30 && video.currentTime > 0.5));
    return { width: shown.videoWidth, frames: shown.getVideoPlaybackQuality().totalVideoFrames };
  };`;

let directory: TemporaryDirectory;
let cameras: GstRtspServer | undefined;
let service: Service | undefined;
let channel = "";

beforeAll(async () => {
  directory = new TemporaryDirectory("firefox-page");
  if (reason !== undefined) return;
  cameras = await GstRtspServer.start({ videos: ["h265"] });
  service = await Service.start({ dataDir: directory.join("data") });
  const added = await service.addCameras([{ name: "Gate", url: cameras.url("h265"), format: "Hevc" }]);
  channel = added[0] ?? "";
  await service.recorded([channel], 8_000_000);
});

afterAll(async () => {
  await service?.stop();
  await cameras?.stop();
  directory.remove();
});

describe.skipIf(reason !== undefined)(`the page in Firefox${notHere(reason)}`, () => {
  it.each(Array.from({ length: TIMES }, (_, index) => index + 1))(
    "plays H.265 live and recorded, as the camera sends it (%i)",
    async () => {
      const script = `${PLAYED}
        await logIn("root", ${JSON.stringify(ROOT_PASSWORD)});
        const live = await played();
        location.hash = "#/playback?channel=${channel}&time=" + (Date.now() - 6000) + "&play=1";
        await until(() => document.querySelector("video") === null || location.hash.includes("playback"));
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const recorded = await played();
        const playsH265 = MediaSource.isTypeSupported('video/mp4; codecs="hvc1.1.6.L93.B0"');
        report({ agent: navigator.userAgent, playsH265, live, recorded });`;
      const port = service?.httpPort ?? 0;
      const result = await visitWithFirefox<Played>(port, script, 90_000);
      expect(result.fault).toBeUndefined();
      expect(result.agent).toContain("Firefox");
      expect([result.playsH265, result.live.width, result.recorded.width]).toEqual([true, 320, 320]);
      // Not converted for it: the camera's own stream is what it plays.
      const metrics = (await service?.get("/metrics"))?.body.toString("utf8");
      expect(metrics).toContain('nvrd_viewers_total{over="socket",source="live"}');
      expect(metrics).toContain("\nnvrd_transcodes 0\n");
    },
  );
});
