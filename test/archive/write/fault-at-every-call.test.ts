import { describe, expect, it } from "vitest";
import type { Disk } from "../../../src/archive/disk/disk.js";
import { ArchiveSimulation } from "../../support/archive/archive-simulation.js";
import type { FaultDiskOptions } from "../../support/archive/simulated/fault-disk.js";
import { printedRandom } from "../../support/base/seeded-random.js";

/** One call in so many is tried, from one that is drawn; `npm run torture -- faults` tries every one. */
const STRIDE = Number(process.env.NVRD_TEST_FAULT_STRIDE ?? 6);
const SECOND_US = 1_000_000;
/** Faults fall into the first part of the recording; the rest is there for the streams to come back. */
const FAULTY_SECONDS = 7;
const RECORDED_SECONDS = 22;
/** A sync each second and a write each 0.4 s: so much of a stream may be in memory alone. */
const UNSYNCED_US = 2 * SECOND_US;
/** A GOP of 10 s, and a second until a new segment is tried. */
const BACK_US = 12 * SECOND_US;
const FAULTY_VOLUME = "/simulated/0";

const WRITES: readonly (keyof Disk)[] = ["openSync", "writevSync", "writeSync", "fallocate", "mkdirSync"];
const SYNCS: readonly (keyof Disk)[] = ["fdatasyncSync", "fsyncSync", "ftruncateSync", "renameSync"];
const random = printedRandom("fault-at-every-call");
const READS: readonly (keyof Disk)[] = [
  "readSync",
  "fstatSync",
  "readdirSync",
  "readFileSync",
  "statfsSync",
  "closeSync",
  "unlinkSync",
];

interface Plan {
  readonly code: "EIO" | "ENOSPC";
  readonly calls: readonly (keyof Disk)[];
  /** How long every such call fails from the first on; 0: only that one. */
  readonly durationUs: number;
}

interface Outcome {
  readonly problems: readonly string[];
  /** Whether there was such a call. */
  readonly happened: boolean;
}

/**
 * Records with two volumes; the `nth` call of the plan's kind on the first one fails. It may cost the streams that are on that volume
 * what was not synced, and what comes until their next key frame.
 */
async function recordWithFault(plan: Plan, nth: number): Promise<Outcome> {
  let seen = 0;
  let atUs: number | undefined;
  const hit = new Set<string>();
  const isDue = () => {
    if (atUs !== undefined) return simulation.nowUs < atUs + plan.durationUs;
    const isEarly = simulation.boot.clock.monotonicUs() < FAULTY_SECONDS * SECOND_US;
    if (!isEarly || seen++ !== nth) return false;
    atUs = simulation.nowUs;
    return true;
  };
  const onCall: FaultDiskOptions["onCall"] = ({ name, path }) => {
    if (!isArmed || !path.startsWith(FAULTY_VOLUME) || !plan.calls.includes(name) || !isDue())
      return undefined;
    for (const stream of simulation.streamsOn(FAULTY_VOLUME)) hit.add(stream);
    return { code: plan.code };
  };
  let isArmed = true;
  const simulation = new ArchiveSimulation({ seed: nth, volumes: 2, quotaBytes: 2 ** 40, disk: { onCall } });
  try {
    await simulation.start();
    await simulation.record(RECORDED_SECONDS * SECOND_US, true);
    await simulation.stop();
    isArmed = false;
    if (atUs === undefined) return { problems: [], happened: false };
    const leaks = simulation.openFiles > 0 ? [`${simulation.openFiles} files left open`] : [];
    await simulation.start();
    await simulation.recover();
    for (const stream of hit)
      simulation.witness.excuse(atUs - UNSYNCED_US, atUs + plan.durationUs + BACK_US, stream);
    return { problems: [...leaks, ...(await simulation.problems())], happened: true };
  } finally {
    await simulation.remove();
  }
}

async function expectNoProblem(plan: Plan): Promise<void> {
  const first = random.below(STRIDE);
  let nth = first;
  for (;;) {
    const { problems, happened } = await recordWithFault(plan, nth);
    if (!happened) break;
    expect({ fault: nth, problems }).toEqual({ fault: nth, problems: [] });
    nth += STRIDE;
  }
  expect(nth).toBeGreaterThan(first);
}

describe("a fault at a call of a recording, one after the other", () => {
  it("costs what was not synced and the time to the next key frame, on its own volume: EIO on writing", async () => {
    await expectNoProblem({ code: "EIO", calls: WRITES, durationUs: 0 });
  });

  it("costs no more when it is EIO on syncing", async () => {
    await expectNoProblem({ code: "EIO", calls: SYNCS, durationUs: 0 });
  });

  it("costs no more when it is EIO on reading", async () => {
    await expectNoProblem({ code: "EIO", calls: READS, durationUs: 0 });
  });

  it("costs no more when the disk is full for three seconds from then on", async () => {
    await expectNoProblem({ code: "ENOSPC", calls: WRITES, durationUs: 3 * SECOND_US });
  });
});
