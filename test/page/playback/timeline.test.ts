import { describe, expect, test } from "vitest";
import type { Timeline, TimelineChannel } from "../../../src/contract/answer/index.js";
import { TimelineCache } from "../../../src/page/playback/timeline/cache.js";
import { foundAt, nextMoment, recordedPart } from "../../../src/page/playback/timeline/row.js";
import {
  centred,
  following,
  lengthOf,
  moved,
  pinched,
  SPAN_MAX_MS,
  SPAN_MIN_MS,
  timeAt,
  withinNow,
  xOf,
  zoomed,
} from "../../../src/page/playback/timeline/span.js";

import { cellAt, stripAt } from "../../../src/page/playback/timeline/strip.js";
import { foundWords } from "../../../src/page/playback/timeline/words.js";
import { fetchWords } from "../../../src/page/words/dictionary.js";
import { playbackWords } from "../../../src/page/words/playback.js";

const span = { from: 1_000_000, to: 2_000_000 };

describe("a span", () => {
  test("keeps the time below the pointer when more or less of it is shown", () => {
    const at = timeAt(span, 1000, 250);
    const closer = zoomed(span, 0.5, at);
    expect(lengthOf(closer)).toBe(500_000);
    expect(xOf(closer, 1000, at)).toBeCloseTo(250, 6);
  });

  test("shows a second at least and a month at most", () => {
    expect(lengthOf(zoomed(span, 1e-9, 1_500_000))).toBe(SPAN_MIN_MS);
    expect(lengthOf(zoomed(span, 1e9, 1_500_000))).toBe(SPAN_MAX_MS);
    expect(SPAN_MAX_MS).toBeGreaterThan(31 * 86_400_000);
  });

  test("follows two fingers: the times below them stay below them", () => {
    const held = [1_200_000, 1_400_000] as const;
    const shown = pinched(span, 1000, held, [100, 900]);
    expect(xOf(shown, 1000, held[0])).toBeCloseTo(100, 6);
    expect(xOf(shown, 1000, held[1])).toBeCloseTo(900, 6);
  });

  test("stays as it is where two fingers are at one place, or have crossed", () => {
    expect(pinched(span, 1000, [1_200_000, 1_400_000], [500, 500])).toBe(span);
    expect(pinched(span, 1000, [1_200_000, 1_400_000], [900, 100])).toBe(span);
  });

  test("shows little of what is to come", () => {
    expect(withinNow(moved(span, 10_000_000), 2_000_000)).toEqual({ from: 1_120_000, to: 2_120_000 });
    expect(withinNow(span, 2_000_000)).toBe(span);
  });

  test("follows what is played: on at the end, anew where it has been left", () => {
    expect(following(span, 1_500_000)).toBe(span);
    expect(following(span, 1_950_000)).toEqual({ from: 1_050_000, to: 2_050_000 });
    expect(following(span, 9_000_000)).toEqual(centred(span, 9_000_000));
  });
});

function counts(steps: Readonly<Record<number, number>>) {
  const Steps = Object.keys(steps).map(Number);
  return { Total: Steps.length, Steps, Counts: Object.values(steps) };
}

function channelOf(parts: Partial<TimelineChannel>): TimelineChannel {
  return {
    Id: "a",
    Runs: [],
    Gaps: [],
    Motion: counts({}),
    Events: [],
    Protected: [],
    Sound: [],
    Away: [],
    KeyFrames: [],
    FromCamera: [],
    ...parts,
  };
}

function answerOf(
  From: number,
  To: number,
  Channels: readonly TimelineChannel[] = [],
  steps = 100,
): Timeline {
  return { Zone: "UTC", From, To, Now: To, StepMs: (To - From) / steps, Channels };
}

describe("a row", () => {
  const channel = channelOf({
    Runs: [
      { From: 0, To: 400 },
      { From: 600, To: 1000, Recorded: 100 },
    ],
    Gaps: [{ From: 400, To: 600, Reason: "camera-lost" }],
    Motion: counts({ 10: 2, 11: 1, 70: 1 }),
    Events: [{ Group: "alarm", ...counts({ 30: 3 }) }],
    Protected: [{ Id: "p", From: 100, To: 200, Comment: "police" }],
    Away: [{ From: 0, To: 120 }],
  });
  const answer = answerOf(0, 1000, [channel]);

  test("says what is at a moment", () => {
    expect(foundAt(answer, channel, 500, 5)).toMatchObject({
      gap: { Reason: "camera-lost" },
      hasMotion: false,
    });
    expect(foundAt(answer, channel, 150, 5)).toMatchObject({
      run: { From: 0 },
      protectedSpan: { Comment: "police" },
    });
    expect(foundAt(answer, channel, 105, 1).hasMotion).toBe(true);
    expect(foundAt(answer, channel, 305, 5).events).toBe(3);
  });

  test("says what is only off the recorder", async () => {
    await fetchWords();
    const words = (at: number) => foundWords(foundAt(answer, channel, at, 0), answer, at).join();
    expect(words(110)).toContain(playbackWords().away);
    expect(words(130)).not.toContain(playbackWords().away);
  });

  test("ends where its end is, and has nothing behind that", () => {
    expect(foundAt(answer, channel, 400, 1).gap).toBeDefined();
    expect(foundAt(answer, channel, 399, 0).run).toBeDefined();
    expect(foundAt(answer, channel, 1000, 0)).toEqual({
      ...{ isAway: false, isKeyFrames: false, hasMotion: false, events: 0 },
    });
  });

  test("finds a gap beside the pointer that is narrower than the pointer", () => {
    const narrow = channelOf({
      Runs: [
        { From: 0, To: 500 },
        { From: 502, To: 1000 },
      ],
      Gaps: [{ From: 500, To: 502, Reason: "interrupted" }],
    });
    expect(foundAt(answerOf(0, 1000, [narrow]), narrow, 496, 5).gap?.Reason).toBe("interrupted");
    expect(foundAt(answerOf(0, 1000, [narrow]), narrow, 450, 5).gap).toBeUndefined();
  });

  test("gives the next moment and the one before, steps that join counted once", () => {
    expect(nextMoment(answer, [channel], 0, 1)).toBe(100);
    expect(nextMoment(answer, [channel], 100, 1)).toBe(300);
    expect(nextMoment(answer, [channel], 700, 1)).toBeUndefined();
    expect(nextMoment(answer, [channel], 700, -1)).toBe(300);
    expect(nextMoment(answer, [channel], 100, -1)).toBeUndefined();
  });

  test("says how much of a time is recorded", () => {
    expect(recordedPart(channel, { from: 200, to: 600 })).toBe(0.5);
    expect(recordedPart(channel, { from: 600, to: 1000 })).toBe(0.25);
    expect(recordedPart(channel, { from: 2000, to: 3000 })).toBe(0);
  });
});

describe("the cache of timelines", () => {
  const now = 10_000_000_000;
  const shown = { from: now - 7_200_000, to: now - 3_600_000 };

  function asked(cache: TimelineCache, channels: readonly string[], at = shown, readNow = 0) {
    return cache.missing(channels, at, now, readNow);
  }

  function keep(cache: TimelineCache, channels: readonly string[], at = shown, readAt = 0): Timeline {
    const question = asked(cache, channels, at, readAt);
    if (question === undefined) throw new Error("nothing is missing");
    const answer = { ...answerOf(question.span.from, question.span.to, [], question.steps), Now: now };
    cache.keep(channels, answer, readAt);
    return answer;
  }

  test("asks for more than is shown, so that a short drag asks for nothing", () => {
    const cache = new TimelineCache();
    const answer = keep(cache, ["a"]);
    const dragged = moved(shown, -600_000);
    expect(asked(cache, ["a"], dragged)).toBeUndefined();
    expect(cache.best(["a"], dragged)).toBe(answer);
  });

  test("asks again behind what it has, and shows meanwhile what it has of it", () => {
    const cache = new TimelineCache();
    const answer = keep(cache, ["a"]);
    const dragged = moved(shown, -5_000_000);
    expect(asked(cache, ["a"], dragged)).toBeDefined();
    expect(cache.best(["a"], dragged)).toBe(answer);
  });

  test("asks for finer steps when less time is shown", () => {
    const cache = new TimelineCache();
    keep(cache, ["a"]);
    const closer = zoomed(shown, 0.1, shown.from);
    expect(asked(cache, ["a"], closer)?.steps).toBe(1800);
    expect(keep(cache, ["a"], closer)).toBe(cache.best(["a"], closer));
  });

  test("keeps the cameras apart, in whatever order they are named", () => {
    const cache = new TimelineCache();
    keep(cache, ["a", "b"]);
    expect(cache.best(["a"], shown)).toBeUndefined();
    expect(asked(cache, ["b", "a"])).toBeUndefined();
    expect(asked(cache, [])).toBeUndefined();
  });

  test("asks for the edge of now again, and for what is settled no more", () => {
    const cache = new TimelineCache();
    const edge = { from: now - 3_600_000, to: now + 100_000 };
    keep(cache, ["a"], edge);
    keep(cache, ["b"]);
    expect(asked(cache, ["a"], edge, 60_000)).toBeDefined();
    expect(asked(cache, ["b"], shown, 60_000)).toBeUndefined();
  });

  test("holds no more than a few answers", () => {
    const cache = new TimelineCache();
    for (let channel = 0; channel < 100; channel += 1) keep(cache, [String(channel)]);
    expect(cache.best(["0"], shown)).toBeUndefined();
    expect(cache.best(["99"], shown)).toBeDefined();
  });
});

describe("a strip of pictures", () => {
  test("is the same for all moments in it, and has ten pictures of a few pixels each", () => {
    const strip = stripAt(1_000_000, 100);
    expect(lengthOf(strip)).toBe(10 * 4000);
    expect(stripAt(strip.from, 100)).toEqual(strip);
    expect(stripAt(strip.to - 1, 100)).toEqual(strip);
    expect(stripAt(strip.to, 100).from).toBe(strip.to);
  });

  test("has no pictures closer than a second", () => {
    expect(lengthOf(stripAt(1_000_000, 0.001))).toBe(10_000);
  });

  test("says where the picture of a moment is, and where nothing is recorded", () => {
    const strip = { from: 0, to: 12_000 };
    const Times = Array.from({ length: 12 }, (_time, index) => (index === 3 ? null : index * 1000));
    const header = { Width: 160, Height: 90, Columns: 10, Times };
    expect(cellAt(strip, header, 11_500)).toEqual({ column: 1, row: 1, columns: 10, rows: 2 });
    expect(cellAt(strip, header, 0)).toEqual({ column: 0, row: 0, columns: 10, rows: 2 });
    expect(cellAt(strip, header, 3500)).toBeUndefined();
    expect(cellAt(strip, header, 12_000)).toBeUndefined();
  });
});
