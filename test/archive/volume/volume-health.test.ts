import { expect, it } from "vitest";
import type { SlotError } from "../../../src/archive/disk/volume-messages.js";
import { VolumeHealth } from "../../../src/archive/volume/volume-health.js";
import { ManualClock } from "../../support/base/manual-clock.js";

const errorOf = (code: string): SlotError => ({ slot: 1, code, message: `write: ${code}` });

/** How often the volume was looked at after one failure. */
function doubtsAfter(code: string): number {
  let doubts = 0;
  const onDoubt = () => {
    doubts += 1;
  };
  new VolumeHealth({ clock: new ManualClock(), onDoubt, onGivenUp: () => undefined }).onSegmentFailure(
    errorOf(code),
  );
  return doubts;
}

it("looks at once whether a disk is there on which a segment failed", () => {
  expect(doubtsAfter("EIO")).toBe(1);
});

it("does not for want of room, which is not its health", () => {
  expect(doubtsAfter("ENOSPC")).toBe(0);
});
