import { describe, expect, it } from "vitest";
import type { TickMember } from "../../../src/rtsp/client/read-ticker.js";
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

class CountingMember implements TickMember {
  ticks = 0;
  ends = 0;

  onTick(): boolean {
    this.ticks += 1;
    return false;
  }

  onTickEnd(): void {
    this.ends += 1;
  }
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

  it("serves patient members on the longer tick alone, until they are so no more", () => {
    const clock = new ManualClock();
    const ticker = new ReadTicker({ clock, periodMs: 200, patientMs: 400 });
    const member = new CountingMember();
    ticker.add(member);
    ticker.setPatient(member, true);
    clock.advance(2000);
    const patientTicks = member.ticks;
    ticker.setPatient(member, false);
    clock.advance(2000);
    expect([patientTicks, member.ticks - patientTicks]).toEqual([5, 10]);
    expect(member.ends).toBe(0);
  });

  it("does not take up again a member that was removed", () => {
    const clock = new ManualClock();
    const ticker = new ReadTicker({ clock, periodMs: 200, patientMs: 400 });
    const member = new CountingMember();
    ticker.add(member);
    ticker.remove(member);
    ticker.setPatient(member, true);
    clock.advance(2000);
    expect(member.ticks).toBe(0);
  });
});
