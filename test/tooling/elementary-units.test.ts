import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { forAllTests } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { breaksInClip } from "../support/media/clip-order.js";
import {
  differenceFromLoop,
  splitH264,
  splitH265,
  splitMjpeg,
  splitMpeg4,
} from "../support/media/elementary-units.js";
import { GST_PASSWORD, GST_USER, GstRtspServer } from "../support/rtsp/gst-rtsp-server.js";
import { runToEnd } from "../support/service/background-process.js";

const directory = forAllTests(() => new TemporaryDirectory("units"));
const server = forAllTests(() => GstRtspServer.start({ videos: ["h264b", "h265b", "mpeg4", "mjpeg"] }));

/** The comparison that the service's tests rest on, tried on ffmpeg, which must pass it. */
describe("units that come through unchanged", () => {
  it.concurrent.each([
    ["h264b", "h264", splitH264],
    ["h265b", "hevc", splitH265],
    ["mpeg4", "m4v", splitMpeg4],
    ["mjpeg", "mjpeg", splitMjpeg],
  ] as const)("are found in what ffmpeg -c copy takes of %s", async (name, format, split) => {
    const file = directory.join(name);
    const url = server
      .url(name, "basic")
      .replace("://", `://${GST_USER}:${encodeURIComponent(GST_PASSWORD)}@`);
    await runToEnd("ffmpeg", [
      "-v",
      "error",
      "-rtsp_transport",
      "tcp",
      "-i",
      url,
      "-t",
      "4",
      "-c",
      "copy",
      "-f",
      format,
      file,
    ]);
    const received = split(readFileSync(file));
    expect(received.length).toBeGreaterThan(80);
    expect(differenceFromLoop(received, split(await server.clip(name)))).toBeUndefined();
  });

  it("are missed when one is left out, doubled or changed", () => {
    const clip = ["a", "b", "c", "d"];
    expect(differenceFromLoop(["b", "c", "d", "a", "b"], clip)).toBeUndefined();
    for (const wrong of [["b", "d"], ["b", "b"], ["b", "x"], []])
      expect(differenceFromLoop(wrong, clip)).toBeDefined();
  });
});

const CLIP = ["a", "b", "c", "d"];

describe("pictures of a clip that is shown over and over", () => {
  it("are in order where each follows the one before, wherever they begin", () => {
    expect(breaksInClip(["c", "d", "a", "b", "c"], CLIP)).toEqual([]);
  });

  it("have a break where one is left out, comes twice or is another one", () => {
    expect(breaksInClip(["a", "c"], CLIP)).toEqual(["picture 1: 2 of 4 follows 0"]);
    expect(breaksInClip(["a", "a"], CLIP)).toEqual(["picture 1: 0 of 4 follows 0"]);
    expect(breaksInClip(["a", "x", "c"], CLIP)).toEqual(["picture 1 is none of the clip's"]);
  });
});
