import { describe, expect, it } from "vitest";
import { ReadTicker } from "../../../src/rtsp/index.js";
import { ManualClock } from "../../support/base/manual-clock.js";

/** What happened on a tick of members that need the event loop or do not. */
function tickOf(needs: readonly boolean[]): string[] {
  const clock = new ManualClock();
  const happened: string[] = [];
  const ticker = new ReadTicker({
    clock,
    periodMs: 200,
    afterPoll: (run) => {
      happened.push("poll");
      run();
    },
  });
  needs.forEach((isReading, index) => {
    ticker.add({
      onTick: () => {
        happened.push(`tick ${index}`);
        return isReading;
      },
      onTickEnd: () => happened.push(`end ${index}`),
    });
  });
  clock.advance(200);
  return happened;
}

describe("the read ticker", () => {
  it("ends a tick without the event loop when all was read at once", () => {
    expect(tickOf([false, false])).toEqual(["tick 0", "tick 1"]);
  });

  it.each([[[true, false]], [[false, true]]])(
    "waits for the event loop when one member needs it: %j",
    (needs) => {
      expect(tickOf(needs)).toEqual(["tick 0", "tick 1", "poll", "end 0", "end 1"]);
    },
  );
});
