import { describe, expect, it } from "vitest";
import {
  chooseStream,
  type StreamCandidate,
  type StreamWish,
} from "../../../src/player/socket/stream-choice.js";

const MAIN: StreamCandidate = { streamType: "Main", codec: "avc1", width: 1920, height: 1080, state: "idle" };
const SUB: StreamCandidate = {
  streamType: "Alternative",
  codec: "avc1",
  width: 640,
  height: 360,
  state: "idle",
};
const HALF: StreamCandidate = { ...SUB, streamType: "SecondAlternative", width: 1280, height: 720 };
const wish = (width: number, change: Partial<StreamWish> = {}): StreamWish => ({
  codecs: ["avc1"],
  tile: { width, height: (width * 9) / 16 },
  stream: "auto",
  ...change,
});

function chosen(candidates: readonly StreamCandidate[], wanted: StreamWish): string | undefined {
  const choice = chooseStream(candidates, wanted);
  return choice && `${choice.streamType} ${choice.source} ${choice.reason ?? ""}`.trim();
}

describe("the choice of a stream", () => {
  it.each([
    [320, "Alternative alternative"],
    [700, "Alternative alternative"],
    [720, "SecondAlternative alternative"],
    [1920, "Main main"],
    [3840, "Main main"],
  ])("is the smallest that fills a tile %i pixels wide, else the largest", (width, expected) => {
    expect(chosen([MAIN, SUB, HALF], wish(width))).toBe(expected);
  });

  it("stays with the stream that is shown while the tile changes a little", () => {
    expect(chosen([MAIN, SUB], wish(780, { shown: "Alternative" }))).toBe("Alternative alternative");
    expect(chosen([MAIN, SUB], wish(780, { shown: "Main" }))).toBe("Main main");
    expect(chosen([MAIN, SUB], wish(900, { shown: "Alternative" }))).toBe("Main main");
    expect(chosen([MAIN, SUB], wish(600, { shown: "Main" }))).toBe("Alternative alternative");
  });

  it("fills a tile of another shape in one direction", () => {
    expect(chosen([MAIN, SUB], { ...wish(0), tile: { width: 640, height: 1000 } })).toBe(
      "Alternative alternative",
    );
  });

  it("is a stream that the client plays, and says so", () => {
    const hevc = { ...MAIN, codec: "hvc1" } as const;
    expect(chosen([hevc, SUB], wish(1920))).toBe("Alternative alternative codec-not-playable");
    expect(chosen([hevc, SUB], wish(320))).toBe("Alternative alternative");
    expect(chosen([hevc, SUB], wish(1920, { codecs: ["avc1", "hvc1"] }))).toBe("Main main");
  });

  it("is a transcode of the one that fits where the client plays none", () => {
    const hevc = { ...MAIN, codec: "hvc1" } as const;
    const jpeg = { ...SUB, codec: "other" } as const;
    expect(chosen([hevc, jpeg], wish(320))).toBe("Alternative transcode codec-not-playable");
    expect(chosen([hevc, jpeg], wish(1920))).toBe("Main transcode codec-not-playable");
  });

  it("is none where the client plays nothing that can be made", () => {
    expect(chosen([MAIN], wish(320, { codecs: ["hvc1"] }))).toBeUndefined();
    expect(chosen([], wish(320))).toBeUndefined();
  });

  it("is what the client names, or says that there is only another one", () => {
    expect(chosen([MAIN, SUB], wish(320, { stream: "main" }))).toBe("Main main");
    expect(chosen([MAIN, SUB], wish(1920, { stream: "alternative" }))).toBe("Alternative alternative");
    expect(chosen([MAIN], wish(320, { stream: "alternative" }))).toBe("Main main only-stream");
    expect(chosen([SUB], wish(1920, { stream: "main" }))).toBe("Alternative alternative only-stream");
  });

  it("passes over a stream whose camera does not answer for one that is there", () => {
    const lost = { ...SUB, state: "lost" } as const;
    expect(chosen([{ ...MAIN, state: "active" }, lost], wish(320))).toBe("Main main only-stream");
    expect(chosen([MAIN, lost], wish(320))).toBe("Alternative alternative");
    expect(chosen([lost], wish(320))).toBe("Alternative alternative");
  });
});
