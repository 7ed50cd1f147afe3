import { describe, expect, it } from "vitest";
import { Pulse } from "../../../src/page/state/pulse.js";

/** Looks each 0.2 s; what it says at the end. */
function looked(pulse: Pulse, fromMs: number, toMs: number) {
  let asked = 0;
  let quietSinceMs: number | undefined;
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 200) {
    const seen = pulse.look(nowMs);
    if (seen.asks) asked += 1;
    quietSinceMs = seen.quietSinceMs;
  }
  return { asked, quietSinceMs };
}

describe("whether anything comes from the recorder", () => {
  it("is asked once after a second of silence, and silence is said before three", () => {
    expect(looked(new Pulse(0), 0, 800)).toEqual({ asked: 0, quietSinceMs: undefined });
    expect(looked(new Pulse(0), 0, 2600)).toEqual({ asked: 1, quietSinceMs: undefined });
    expect(looked(new Pulse(0), 0, 3000)).toEqual({ asked: 1, quietSinceMs: 0 });
  });

  it("is known again with whatever comes", () => {
    const pulse = new Pulse(0);
    looked(pulse, 0, 5000);
    pulse.heard(5100);
    expect(looked(pulse, 5200, 5800)).toEqual({ asked: 0, quietSinceMs: undefined });
  });

  it("is asked again when the question failed", () => {
    const pulse = new Pulse(0);
    looked(pulse, 0, 2000);
    pulse.failed();
    expect(looked(pulse, 2200, 2400).asked).toBe(1);
  });

  it("is not known of a time in which the page did not run", () => {
    const pulse = new Pulse(0);
    looked(pulse, 0, 800);
    expect(pulse.look(60_000)).toEqual({ asks: false, quietSinceMs: undefined });
  });
});
