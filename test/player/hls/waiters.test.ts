import { describe, expect, it } from "vitest";
import { Waiters } from "../../../src/player/hls/waiters.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

/** A request whose player stays. */
const PATIENT = { onClose: () => undefined };

describe("requests that wait", () => {
  it("are answered with the next look that finds what they wait for", async () => {
    const waiters = new Waiters(new SimulatedClock());
    let part = 0;
    const second = waiters.add(PATIENT, () => part >= 2, 1000);
    part = 1;
    waiters.look();
    expect(waiters.size).toBe(1);
    part = 2;
    waiters.look();
    expect(await second).toBe(true);
    expect(waiters.size).toBe(0);
  });

  it("are each told at the end of their own time, whichever came first", async () => {
    const clock = new SimulatedClock();
    const waiters = new Waiters(clock);
    const ended: string[] = [];
    const wait = (name: string, ms: number) =>
      waiters.add(PATIENT, () => false, ms).then((met) => ended.push(`${name} ${met}`));
    const all = [wait("long", 3000), wait("short", 1000), wait("middle", 2000)];
    for (const [afterMs, seen] of [
      [999, 0],
      [1, 1],
      [1000, 2],
      [1000, 3],
    ] as const) {
      clock.advance(afterMs * 1000);
      await Promise.resolve();
      await Promise.resolve();
      expect(ended).toHaveLength(seen);
    }
    await Promise.all(all);
    expect(ended).toEqual(["short false", "middle false", "long false"]);
  });

  it("keep their time where others have left before", async () => {
    const clock = new SimulatedClock();
    const waiters = new Waiters(clock);
    let isThere = false;
    const first = waiters.add(PATIENT, () => isThere, 1000);
    const later = waiters.add(PATIENT, () => false, 2000);
    isThere = true;
    waiters.look();
    expect(await first).toBe(true);
    clock.advance(2_000_000);
    expect(await later).toBe(false);
  });

  it("keep their time where all have left and one has come since", async () => {
    const clock = new SimulatedClock();
    const waiters = new Waiters(clock);
    const first = waiters.add(PATIENT, () => true, 5000);
    waiters.look();
    expect(await first).toBe(true);
    const next = waiters.add(PATIENT, () => false, 1000);
    clock.advance(1_000_000);
    expect(await next).toBe(false);
  });

  it("are told what looking for it throws, and no other is", async () => {
    const waiters = new Waiters(new SimulatedClock());
    const broken = waiters.add(
      PATIENT,
      () => {
        throw new Error("too far ahead");
      },
      1000,
    );
    const other = waiters.add(PATIENT, () => true, 1000);
    waiters.look();
    await expect(broken).rejects.toThrow("too far ahead");
    expect(await other).toBe(true);
  });

  it("end together by an error", async () => {
    const waiters = new Waiters(new SimulatedClock());
    const all = [waiters.add(PATIENT, () => false, 1000), waiters.add(PATIENT, () => false, 2000)];
    waiters.fail(new Error("the stream has ended"));
    for (const one of all) await expect(one).rejects.toThrow("the stream has ended");
    expect(waiters.size).toBe(0);
  });

  it("end when their player has gone, and take no place from then on", async () => {
    const clock = new SimulatedClock();
    const waiters = new Waiters(clock);
    let leave = (): void => undefined;
    const gone = waiters.add({ onClose: (listener) => (leave = listener) }, () => false, 8000);
    const other = waiters.add(PATIENT, () => false, 1000);
    leave();
    expect(await gone).toBe(false);
    expect(waiters.size).toBe(1);
    clock.advance(1_000_000);
    expect(await other).toBe(false);
  });
});
