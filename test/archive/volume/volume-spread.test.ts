import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Candidate, pickOverburdened, pickVolume } from "../../../src/archive/volume/volume-spread.js";

const TB = 1e12;
const candidate = (fields: Partial<Candidate> & { id: string }): Candidate => ({
  roomBytes: TB,
  allowedBytes: 2 * TB,
  bytesPerSecond: 0,
  streams: 0,
  brisk: true,
  full: false,
  ...fields,
});

/** Puts streams one after the other; answers how many each volume got. */
function spread(
  volumes: readonly Candidate[],
  streams: number,
  bytesPerSecond = 500_000,
): Map<string, number> {
  const counts = new Map(volumes.map(({ id }) => [id, 0]));
  for (let at = 0; at < streams; at++) {
    const now = volumes.map((volume) => {
      const count = counts.get(volume.id) ?? 0;
      return { ...volume, streams: count, bytesPerSecond: count * bytesPerSecond };
    });
    const picked = pickVolume(now);
    if (picked !== undefined) counts.set(picked.id, (counts.get(picked.id) ?? 0) + 1);
  }
  return counts;
}

describe("a stream's volume", () => {
  it("is each of equal ones in turn", () => {
    expect([...spread([candidate({ id: "a" }), candidate({ id: "b" })], 64).values()]).toEqual([32, 32]);
  });

  it("is more often the one with more free space, and full ones that roll share by their size", () => {
    const larger = spread(
      [candidate({ id: "a", roomBytes: 3 * TB, allowedBytes: 3 * TB }), candidate({ id: "b" })],
      60,
    );
    expect(larger.get("a")).toBeGreaterThan((larger.get("b") ?? 0) * 2);
    const rolling = [8, 4].map((size) =>
      candidate({ id: `${size}`, roomBytes: 1e9, allowedBytes: size * TB }),
    );
    expect([...spread(rolling, 60).values()]).toEqual([40, 20]);
  });

  it("is the one to which less is written, at the same number of streams", () => {
    const busy = candidate({ id: "a", streams: 4, bytesPerSecond: 20e6 });
    expect(pickVolume([busy, candidate({ id: "b", streams: 4, bytesPerSecond: 2e6 })])?.id).toBe("b");
  });

  it("is one that does not keep up, is full, or is to be avoided, only when there is no other", () => {
    const slow = candidate({ id: "slow", brisk: false });
    const full = candidate({ id: "full", full: true });
    const loaded = candidate({ id: "loaded", streams: 60, bytesPerSecond: 30e6, roomBytes: 0.1 * TB });
    expect(pickVolume([slow, full, loaded])?.id).toBe("loaded");
    expect(pickVolume([slow, full, loaded], "loaded")?.id).toBe("slow");
    expect(pickVolume([full])?.id).toBe("full");
    expect(pickVolume([loaded], "loaded")?.id).toBe("loaded");
    expect(pickVolume([])).toBeUndefined();
  });
});

it("evening out comes to rest, whatever the disks: no stream goes round in circles", () => {
  const disk = fc.record({
    roomBytes: fc.integer({ min: 1e9, max: 8e12 }),
    allowedBytes: fc.integer({ min: 8e12, max: 16e12 }),
    streams: fc.integer({ min: 0, max: 64 }),
  });
  fc.assert(
    fc.property(
      fc.array(disk, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1e4, max: 2e6 }),
      (disks, rate) => {
        const volumes = disks.map((fields, at) => candidate({ id: `${at}`, ...fields }));
        const streams = disks.map((fields) => fields.streams);
        const most = streams.reduce((sum, count) => sum + count, 0);
        const now = () =>
          volumes.map((volume, at) => {
            const count = streams[at] ?? 0;
            return { ...volume, streams: count, bytesPerSecond: count * rate };
          });
        let moves = 0;
        for (let from = pickOverburdened(now()); from !== undefined; from = pickOverburdened(now())) {
          const to = pickVolume(now(), from.id);
          streams[Number(from.id)] = (streams[Number(from.id)] ?? 0) - 1;
          streams[Number(to?.id)] = (streams[Number(to?.id)] ?? 0) + 1;
          moves += 1;
          expect(moves).toBeLessThanOrEqual(most);
        }
      },
    ),
  );
});
