import { describe, expect, it } from "vitest";
import { ArchiveSimulation } from "../../support/archive/archive-simulation.js";
import { type FaultDisk, loneDisk } from "../../support/archive/simulated/fault-disk.js";

const SEEDS = 200;
const SECOND_US = 1_000_000;

/** A disk with 4 KiB of ones that were synced, name and all, and 4 KiB of twos behind them that were not. */
function halfSynced(seed: number, order: "journal" | "loose"): FaultDisk {
  const made = loneDisk(seed, { order });
  const fd = made.disk.openSync("/disk/file", "wx+");
  made.disk.writeSync(fd, Buffer.alloc(4096, 1), 0, 4096, 0);
  made.disk.fdatasyncSync(fd);
  const root = made.disk.openSync("/disk", "r");
  made.disk.fsyncSync(root);
  made.disk.writeSync(fd, Buffer.alloc(4096, 2), 0, 4096, 4096);
  return made;
}

/** The file's length after a power cut, and how many of the last 4 KiB are there. */
function remains({ disk }: FaultDisk): { synced: boolean; size: number; twos: number } {
  const fd = disk.openSync("/disk/file", "r");
  const bytes = Buffer.alloc(8192);
  const size = disk.readSync(fd, bytes, 0, 8192, 0);
  const synced = bytes.subarray(0, 4096).every((byte) => byte === 1);
  return { synced, size, twos: bytes.filter((byte) => byte === 2).length };
}

describe("the fault disk", () => {
  it.each(["journal", "loose"] as const)(
    "keeps what was synced, and loses what was not in every way (%s)",
    (order) => {
      const found = Array.from({ length: SEEDS }, (_, seed) =>
        remains(halfSynced(seed, order).afterPowerCut()),
      );
      expect(found.every(({ synced }) => synced)).toBe(true);
      expect(found.some(({ twos }) => twos === 4096)).toBe(true);
      expect(found.some(({ size }) => size === 4096)).toBe(true);
      expect(found.some(({ twos }) => twos > 0 && twos < 4096)).toBe(true);
      // Later sectors may be there without earlier ones.
      expect(found.some(({ size, twos }) => size === 8192 && twos > 0 && twos < 4096)).toBe(true);
    },
  );

  it("finds the same state for the same seed", () => {
    for (let seed = 0; seed < 20; seed++) {
      const twice = [0, 1].map(() => remains(halfSynced(seed, "loose").afterPowerCut()));
      expect(twice[0]).toEqual(twice[1]);
    }
  });

  it("loses a name that its directory was not synced for, in the loose order", () => {
    const kept = Array.from({ length: SEEDS }, (_, seed) => {
      const made = loneDisk(seed, { order: "loose" });
      const fd = made.disk.openSync("/disk/file", "wx+");
      made.disk.writeSync(fd, "x");
      made.disk.fsyncSync(fd);
      return made.afterPowerCut().disk.readdirSync("/disk").length;
    });
    expect(new Set(kept)).toEqual(new Set([0, 1]));
  });

  it("is full when it is full, and writes what fits", () => {
    const { disk } = loneDisk(1, { capacityBytes: 8192 });
    const fd = disk.openSync("/disk/file", "wx+");
    expect(disk.writeSync(fd, Buffer.alloc(10_000), 0, 10_000, 0)).toBe(8192);
    expect(() => disk.writeSync(fd, Buffer.alloc(1), 0, 1, 8192)).toThrow("ENOSPC");
  });
});

describe("the simulated recorder", () => {
  it("is found out when its disk lies about syncs", async () => {
    const problems: string[] = [];
    for (let seed = 1; seed <= 5; seed++) {
      const lies = {
        onCall: ({ name }: { name: string }) => (/sync/.test(name) ? ({ lies: true } as const) : undefined),
      };
      const simulation = new ArchiveSimulation({ seed, volumes: 1, quotaBytes: 2 ** 40, disk: lies });
      await simulation.start();
      await simulation.record(10 * SECOND_US);
      simulation.crash("cut");
      await simulation.start();
      await simulation.recover();
      problems.push(...(await simulation.problems()));
      await simulation.remove();
    }
    expect(problems.some((problem) => problem.includes("bytes were synced"))).toBe(true);
    expect(problems.some((problem) => problem.includes("is lost"))).toBe(true);
  });
});
