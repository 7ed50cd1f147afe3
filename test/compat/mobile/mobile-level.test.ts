import { describe, expect, it } from "vitest";
import { chooseLevel } from "../../../src/player/mobile/mobile-level.js";
import { DEFAULT_SITE_PARTS, type MobileSettings } from "../../../src/site/index.js";

const { mobile } = DEFAULT_SITE_PARTS;

function chosen(asked: { x?: number; y?: number; fps?: number }, settings: MobileSettings = mobile) {
  const level = chooseLevel(settings, { width: asked.x, height: asked.y, framesPerSecond: asked.fps });
  return level === undefined ? "none" : `${level.width}x${level.height}@${level.framesPerSecond}`;
}

/** Low 320x180@10, Middle 640x360@15, High 1280x720@25. */
describe("the quality level of a request", () => {
  it.each([
    [{}, "320x180@10"],
    [{ fps: 25 }, "320x180@10"],
    [{ fps: 2.5 }, "320x180@2.5"],
    [{ x: 640, y: 480, fps: 25 }, "640x360@15"],
    [{ x: 640, y: 360, fps: 5 }, "640x360@5"],
    [{ x: 640 }, "640x360@15"],
    [{ y: 700 }, "1280x720@25"],
    [{ x: 1920, y: 1080, fps: 50 }, "1280x720@25"],
    [{ x: 1, y: 1 }, "320x180@10"],
    [{ x: 100_000, y: 100_000 }, "1280x720@25"],
    [{ x: 1280, y: 720, fps: 1 }, "1280x720@1"],
  ])("%j is %s", (asked, level) => {
    expect(chosen(asked)).toBe(level);
  });

  it("leaves levels out that are switched off", () => {
    const levels = { ...mobile.levels, Low: { ...mobile.levels.Low, isEnabled: false } };
    expect(chosen({}, { ...mobile, levels })).toBe("640x360@15");
    expect(chosen({ x: 320, y: 180 }, { ...mobile, levels })).toBe("640x360@15");
  });

  it("is none when all are", () => {
    const off = { ...mobile.levels.Low, isEnabled: false };
    expect(chosen({}, { ...mobile, levels: { Low: off, Middle: off, High: off } })).toBe("none");
  });

  it("takes the rate into account between levels of one resolution", () => {
    const same = { ...mobile.levels.Low, width: 640, height: 360 };
    const levels = {
      Low: { ...same, fpsLimit: 5 },
      Middle: { ...same, fpsLimit: 12 },
      High: { ...same, fpsLimit: 25 },
    };
    expect(chosen({ x: 640, y: 360, fps: 20 }, { ...mobile, levels })).toBe("640x360@20");
    expect(chosen({ x: 640, y: 360, fps: 11 }, { ...mobile, levels })).toBe("640x360@11");
    expect(chosen({ x: 640, y: 360 }, { ...mobile, levels })).toBe("640x360@5");
  });

  it("is bounded by the limit of all levels", () => {
    expect(chosen({ x: 1280, y: 720 }, { ...mobile, fpsLimit: 12 })).toBe("1280x720@12");
  });
});
