import { describe, expect, test } from "vitest";
import { GapNotices, type ReportedGap } from "../../../src/page/playback/watch/gap-notices.js";

const MINUTE = 60_000;

function gap(channel: string, part: Partial<ReportedGap> = {}): ReportedGap {
  return { channel, reason: "camera-lost", from: 0, to: MINUTE, ...part };
}

/** What is said of gaps that are reported at once. */
function said(gaps: readonly ReportedGap[], direction: 1 | -1 = 1) {
  const notices = new GapNotices();
  for (const each of gaps) notices.add(each, 0);
  return notices.due(direction, 1000);
}

describe("a gap", () => {
  test("of several cameras is said once, though it does not end for all in the same moment", () => {
    expect(said([gap("gate"), gap("yard", { to: MINUTE + 1000 })])).toEqual([
      { channels: ["gate", "yard"], reason: "camera-lost", goesOnAt: MINUTE },
    ]);
  });

  test("goes on backwards where the first camera has recordings again", () => {
    expect(said([gap("gate"), gap("yard", { from: 500, to: 5 * MINUTE })], -1)).toEqual([
      { channels: ["gate", "yard"], reason: "camera-lost", goesOnAt: 500 },
    ]);
  });

  test("with another reason, or that ends much later, is said by itself", () => {
    expect(
      said([gap("gate"), gap("yard", { reason: "switched-off" }), gap("roof", { to: 9 * MINUTE })]),
    ).toEqual([
      { channels: ["gate"], reason: "camera-lost", goesOnAt: MINUTE },
      { channels: ["yard"], reason: "switched-off", goesOnAt: MINUTE },
      { channels: ["roof"], reason: "camera-lost", goesOnAt: 9 * MINUTE },
    ]);
  });

  test("is not said again when the service reports it again, nor of another camera a little later", () => {
    const notices = new GapNotices();
    notices.add(gap("gate"), 0);
    expect(notices.due(1, 100)).toEqual([]);
    expect(notices.due(1, 300)).toHaveLength(1);
    notices.add(gap("gate", { to: MINUTE + 2000 }), 400);
    notices.add(gap("yard", { to: MINUTE + 1000 }), 400);
    expect(notices.due(1, 1000)).toEqual([]);
  });

  test("is said again after the playback was somewhere else", () => {
    const notices = new GapNotices();
    notices.add(gap("gate"), 0);
    expect(notices.due(1, 300)).toHaveLength(1);
    notices.forget();
    notices.add(gap("gate"), 400);
    expect(notices.due(1, 1000)).toHaveLength(1);
  });
});
