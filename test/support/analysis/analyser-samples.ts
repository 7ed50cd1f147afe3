import sharp from "sharp";
import type { CameraPicture, CameraPictures } from "../../../src/analysis/index.js";
import { StillJpegs } from "../../../src/picture/still/still-jpeg.js";
import type { Analyser, FrigateFeed, VisionServer } from "../../../src/site/index.js";

export const ANALYSER_ID = "99999999-0000-4000-8000-000000000001";

export function visionAnalyser(source: Partial<VisionServer> = {}, change: Partial<Analyser> = {}) {
  const server: VisionServer = {
    ...{ kind: "vision", url: "http://127.0.0.1:9", apiKey: "", objects: true, plates: false, faces: false },
    ...{ platesPath: "/v1/vision/alpr", facesPath: "/v1/vision/face/recognize", channelIds: "all" },
    ...{ onMotion: true, repeatSeconds: 10, intervalSeconds: 0 },
    ...{ perMinuteMax: 60, perMinuteOfCameraMax: 12, timeoutSeconds: 10 },
    ...source,
  };
  return { ...ANALYSER, ...change, source: server };
}

export function frigateAnalyser(cameras: FrigateFeed["cameras"], change: Partial<Analyser> = {}) {
  const source: FrigateFeed = { kind: "frigate", prefix: "frigate", cameras };
  return { ...ANALYSER, ...change, source };
}

const ANALYSER = {
  ...{ id: ANALYSER_ID, name: "Neighbour", isEnabled: true },
  ...{ minConfidence: 50, quietSeconds: 10, startsRecording: false },
};

/** Cameras that show a grey picture of 640x360, when `shownUs` says. */
export class GreyPictures implements CameraPictures {
  readonly asked: { readonly channelId: string; readonly isDetailed: boolean }[] = [];
  /** Undefined: no camera has a picture. */
  shownUs: number | undefined = 0;
  readonly #jpegs = new StillJpegs();

  async present(channelId: string, { isDetailed }: { readonly isDetailed: boolean }): Promise<CameraPicture> {
    this.asked.push({ channelId, isDetailed });
    const { shownUs } = this;
    if (shownUs === undefined) throw new Error("no picture");
    const [width, height] = [640, 360];
    const jpeg = await sharp({ create: { width, height, channels: 3, background: "grey" } })
      .jpeg()
      .toBuffer();
    return { jpeg, width, height, shownUs };
  }

  cut(...given: Parameters<CameraPictures["cut"]>) {
    return this.#jpegs.cut(...given);
  }
}
