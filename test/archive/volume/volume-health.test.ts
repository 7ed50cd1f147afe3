import { describe, expect, it } from "vitest";
import type { SlotError } from "../../../src/archive/disk/volume-messages.js";
import { DOUBT_US, VolumeHealth } from "../../../src/archive/volume/volume-health.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const errorOf = (code: string): SlotError => ({ slot: 1, code, message: `write: ${code}` });

function make() {
  const clock = new ManualClock();
  return { clock, health: new VolumeHealth({ clock, onGivenUp: () => undefined }) };
}

/** No stream goes to a volume in doubt while there is another: a disk that is gone costs it a GOP, and is noticed by that alone. */
describe("a volume is in doubt", () => {
  it("after a segment failed on it", () => {
    const { health } = make();
    expect(health.isDoubtful).toBe(false);
    health.onSegmentFailure(errorOf("EIO"));
    expect(health.isDoubtful).toBe(true);
  });

  it("until something becomes durable", () => {
    const { health } = make();
    health.onSegmentFailure(errorOf("EIO"));
    health.onSuccess();
    expect(health.isDoubtful).toBe(false);
  });

  it("until it is taken again", () => {
    const { health } = make();
    health.onSegmentFailure(errorOf("EIO"));
    health.onTaken();
    expect(health.isDoubtful).toBe(false);
  });

  it("for a limited time: without a stream nothing can become durable", () => {
    const { clock, health } = make();
    health.onSegmentFailure(errorOf("EIO"));
    clock.advance(DOUBT_US / 1000 - 1);
    expect(health.isDoubtful).toBe(true);
    clock.advance(1);
    expect(health.isDoubtful).toBe(false);
  });

  it("not for want of room, which is not its health", () => {
    const { health } = make();
    health.onSegmentFailure(errorOf("ENOSPC"));
    expect(health.isDoubtful).toBe(false);
  });
});
