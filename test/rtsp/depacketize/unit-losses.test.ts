import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { SlabPool } from "../../../src/live/index.js";
import {
  ACCESS_UNIT_BYTES_MAX,
  FrameBuilder,
  LOSSES_REPORT_INTERVAL_US,
  UnitLosses,
} from "../../../src/rtsp/index.js";
import { cameraAnswers, ScriptedRtspServer } from "../../support/rtsp/scripted-rtsp-server.js";
import { makeSource } from "../../support/rtsp/source-harness.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface LoggedLoss {
  readonly level: number;
  readonly msg: string;
  readonly dropped?: number;
  readonly sinceStart?: Readonly<Record<string, number>>;
}

function loggedLosses(lines: readonly string[]): LoggedLoss[] {
  return lines.map((line) => JSON.parse(line) as LoggedLoss).filter(({ dropped }) => dropped !== undefined);
}

function losses(): { losses: UnitLosses; lines: string[] } {
  const lines: string[] = [];
  const log = createLog({ level: "trace", destination: { write: (line: string) => lines.push(line) } });
  return { losses: new UnitLosses(log), lines };
}

describe("pictures that could not be built", () => {
  it("are logged at once, and then once a minute, with their number, while they continue", () => {
    const { losses: lost, lines } = losses();
    lost.onTick(0);
    for (let second = 0; second < 150; second += 1) {
      for (let picture = 0; picture < 25; picture += 1) lost.count("too-large");
      lost.onTick(second * 1_000_000);
    }
    expect(LOSSES_REPORT_INTERVAL_US).toBe(60_000_000);
    expect(loggedLosses(lines)).toMatchObject([
      { level: 40, dropped: 25, sinceStart: { "too-large": 25 } },
      { level: 40, dropped: 60 * 25, sinceStart: { "too-large": 61 * 25 } },
      { level: 40, dropped: 60 * 25, sinceStart: { "too-large": 121 * 25 } },
    ]);
    expect(lost.total).toBe(150 * 25);
    expect(lines).toHaveLength(3);
  });

  it("are counted once each, however many of their packets follow", () => {
    const { losses: lost } = losses();
    const pool = new SlabPool({ slabBytes: 1024 * 1024, totalBytesMax: 2 * ACCESS_UNIT_BYTES_MAX });
    const builder = new FrameBuilder(pool, (failure) => lost.count(failure));
    const packet = Buffer.alloc(60_000);
    for (const _unit of [1, 2]) {
      for (let bytes = 0; bytes < 2 * ACCESS_UNIT_BYTES_MAX; bytes += packet.length)
        builder.append(packet, 0, packet.length);
      builder.discard();
    }
    expect(lost.total).toBe(2);
    builder.close();
  });

  it("are logged for a camera that sends while no memory is free", async () => {
    const pool = new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 256 * 1024 });
    const held = pool.take();
    const server = await new ScriptedRtspServer(cameraAnswers()).start();
    cleanups.push(() => server.stop());
    const harness = makeSource({ url: server.url, pool });
    cleanups.push(() => harness.source.stop());
    harness.source.start();
    await harness.until(() => loggedLosses(harness.logLines).length > 0);
    expect(loggedLosses(harness.logLines)[0]).toMatchObject({ level: 40, stream: String(harness.stream) });
    expect(loggedLosses(harness.logLines)[0]?.msg).toMatch(
      /^Pictures of the camera were dropped: no memory was free/,
    );
    expect(harness.frames).toEqual([]);
    held?.release();
  });

  it("are not logged more often when the camera reconnects repeatedly", async () => {
    const pool = new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 256 * 1024 });
    const held = pool.take();
    const server = await new ScriptedRtspServer(cameraAnswers()).start();
    cleanups.push(() => server.stop());
    const timeouts = { firstFrameMs: 100, teardownMs: 10 };
    const harness = makeSource({ url: server.url, pool, random: () => 0, timeouts });
    cleanups.push(() => harness.source.stop());
    harness.source.start();
    await harness.until(() => harness.source.attempts >= 3);
    expect(loggedLosses(harness.logLines)).toHaveLength(1);
    held?.release();
  });
});
