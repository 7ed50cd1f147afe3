import { expect, it } from "vitest";
import type { Disks } from "../../../src/contract/answer/index.js";
import { roomBytes } from "../../../src/page/settings/disks/disks.js";
import { BOX_OF_DISKS, FAILING_DISK } from "../../support/page/box-of-disks.js";

const [volume] = FAILING_DISK.Volumes;

function list(...volumes: readonly object[]): Disks {
  const OtherVolumes = volumes.map((change) => ({ ...volume, ...change }));
  return { ...BOX_OF_DISKS, Disks: [], OtherVolumes } as unknown as Disks;
}

it("room for recordings is what the volumes may hold, not what is free on their disks", () => {
  const room = { FreeBytes: 9e12, RecordedBytes: 1e12 };
  expect(roomBytes(list({ ...room, AllowedBytes: 2e12 }, { ...room, AllowedBytes: 5e11 }))).toBe(2.5e12);
});

it("room of a volume that is retired, left out or not known yet does not count", () => {
  const of = (change: object) => roomBytes(list({ AllowedBytes: 2e12 }, { AllowedBytes: 1e12, ...change }));
  expect([{ State: "Retired" }, { State: "LeftOut" }, { AllowedBytes: null }].map(of)).toEqual([
    2e12, 2e12, 2e12,
  ]);
});
