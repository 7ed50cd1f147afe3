import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { watchRtsp } from "../bench/viewers/rtsp-viewers.js";
import { forAllTests } from "../support/base/for-tests.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { decode } from "../support/media/ffmpeg.js";
import { h264AccessUnits, isH264ParameterSet, splitNalUnits } from "../support/media/nal-units.js";
import { BackgroundProcess, runToEnd } from "../support/service/background-process.js";
import { buildProgram, PacedSource, pacedClockOf, SMALL_CLIP } from "../support/service/paced-source.js";

const STREAMS = 3;

const directory = forAllTests(() => new TemporaryDirectory("paced"));
const source = forAllTests(() => PacedSource.start(STREAMS, SMALL_CLIP));

describe("the paced source", () => {
  it("is played by ffmpeg at camera speed, each frame with its clock, the clip's NAL units unchanged", async () => {
    const file = directory.join("played.h264");
    const startedMs = performance.now();
    await runToEnd("ffmpeg", [
      "-v",
      "error",
      "-rtsp_transport",
      "tcp",
      "-i",
      source.url(2),
      "-t",
      "3",
      "-c",
      "copy",
      file,
    ]);
    expect(performance.now() - startedMs).toBeGreaterThan(2500);
    const played = readFileSync(file);
    const sent = h264AccessUnits(splitNalUnits(readFileSync(source.clipFile)));
    const received = h264AccessUnits(splitNalUnits(played)).map((units) =>
      units.filter((unit) => !isH264ParameterSet(unit)),
    );
    for (const units of received) {
      const clock = units.map((unit) => pacedClockOf(unit)).find((found) => found !== undefined);
      expect(clock?.stream).toBe(2);
      const picture = units.filter((unit) => pacedClockOf(unit) === undefined);
      const expected = sent[(clock?.frame ?? 0) % sent.length]?.filter((unit) => !isH264ParameterSet(unit));
      expect(picture).toEqual(expected);
    }
    expect((await decode(played, "h264")).errors).toBe("");
  });

  it("is read by the floor, which writes every byte it was sent", async () => {
    const program = await buildProgram("floor");
    const floor = new BackgroundProcess(program, [`${source.port}`, `${STREAMS}`, directory.path]);
    await floor.waitFor(/^ready$/m);
    const sizes = () =>
      Array.from({ length: STREAMS }, (_, stream) => {
        const file = statSync(directory.join(`${stream}.bin`), { throwIfNoEntry: false });
        return file?.size ?? 0;
      });
    while (Math.min(...sizes()) <= 50_000) await new Promise((resolve) => setTimeout(resolve, 50));
    await floor.stop();
    const written = Number(/^written (\d+)$/m.exec(floor.output)?.[1]);
    expect(sizes().reduce((sum, size) => sum + size)).toBe(written);
  });

  it("is watched by viewers, who tell how many frames came, and how long after their sending", async () => {
    const viewers = 4;
    const windowMs = 1000;
    const stream = { url: source.url(1), track: "trackID=0" };
    let began = 0;
    let ended = 0;
    const watched = await watchRtsp(stream, {
      ...{ viewers, settleMs: 200, windowMs },
      onBegin: () => {
        began = performance.now();
      },
      onEnd: () => {
        ended = performance.now();
      },
    });
    expect(ended - began).toBeGreaterThan(windowMs * 0.8);
    // A machine with other work may send late, and then more at once.
    const sent = (viewers * SMALL_CLIP.fps * windowMs) / 1000;
    expect(watched.frames).toBeGreaterThan(viewers);
    expect(watched.frames).toBeLessThan(sent * 2);
    const { first, whole, bytes } = watched;
    expect(bytes).toBeGreaterThan(watched.frames * 100);
    expect(first.p50).toBeGreaterThan(0);
    expect(whole.p50).toBeGreaterThan(0);
    expect(first.p99).toBeGreaterThanOrEqual(first.p50);
  });
});
