import { describe, expect, it } from "vitest";
import type { Guid } from "../../src/base/index.js";
import {
  FINDING_PATH_MAX,
  type Finding,
  type FindingChange,
  LASTING_OF_CHANNEL_MAX,
  LastingFindings,
  readFindingId,
} from "../../src/finding/index.js";
import { ManualClock } from "../support/base/manual-clock.js";

const GATE = "00000000-0000-0000-0000-00000000000a" as Guid;
const BOX = { left: 0.1, top: 0.1, width: 0.2, height: 0.4 };
const PAUSE_MS = 30_000;

function book() {
  const clock = new ManualClock();
  const findings = new LastingFindings(clock);
  const notified: [FindingChange, Finding][] = [];
  findings.onChange((finding, change) => notified.push([change, finding]));
  const ended = () => notified.filter(([change]) => change === "ended").map(([, finding]) => finding);
  const motion = (atUs: number) =>
    findings.begin({ channelId: GATE, kind: "motion", source: "motion", atUs, pauseMs: PAUSE_MS });
  return { clock, findings, notified, ended, motion };
}

describe("findings that last", () => {
  it("have an id made of channel and begin, and no two the same", () => {
    const { findings } = book();
    const seen = { channelId: GATE, kind: "person", source: "recorder", atUs: 1000 } as const;
    const [first = "", second = ""] = [findings.begin(seen), findings.begin(seen)];
    expect(readFindingId(first)).toEqual({ channelId: GATE, beginUs: 1000 });
    expect(readFindingId(second)).toEqual({ channelId: GATE, beginUs: 1001 });
  });

  it("are refused at no time at all", () => {
    const { findings, motion, notified } = book();
    const seen = { channelId: GATE, kind: "person", source: "recorder", atUs: Number.NaN } as const;
    expect(() => findings.begin(seen)).toThrow("a finding at NaN µs");
    motion(1000);
    expect(notified).toHaveLength(1);
  });

  it("are one record where they go on within their pause", async () => {
    const { clock, findings, ended, motion } = book();
    const startUs = clock.nowUs();
    const first = motion(startUs) ?? "";
    findings.end(first);
    await clock.advance(PAUSE_MS - 1000);
    const nowUs = clock.nowUs();
    expect(motion(nowUs)).toBe(first);
    findings.end(first, nowUs + 1);
    await clock.advance(PAUSE_MS + 1);
    expect(ended()).toMatchObject([{ id: first, beginUs: startUs, seenUs: nowUs + 1, isLasting: false }]);
  });

  it("are two where the pause was longer", async () => {
    const { clock, findings, motion } = book();
    const first = motion(clock.nowUs()) ?? "";
    findings.end(first);
    await clock.advance(PAUSE_MS + 1000);
    expect(motion(clock.nowUs())).not.toBe(first);
  });

  it("have with their best picture the box that it shows, and a way of the others", () => {
    const { findings } = book();
    const shownBox = { left: 0.5, top: 0.25, width: 0.25, height: 0.5 };
    const seen = { channelId: GATE, kind: "person", source: "recorder", atUs: 0, box: BOX } as const;
    const id = findings.begin({ ...seen, shownBox, quality: 2 }) ?? "";
    findings.grow(id, { atUs: 1_000_000, box: BOX, shownBox: BOX, quality: 1 });
    const [finding] = findings.lasting();
    expect(finding?.best).toEqual({ timeUs: 0, box: shownBox });
    expect(finding?.path.map(({ box }) => box.width)).toEqual(
      [BOX.width, BOX.width].map((width) => expect.closeTo(width)),
    );
  });

  it("keep the best picture, the greatest score, all zones and a thinned path", () => {
    const { findings } = book();
    const seen = { channelId: GATE, kind: "person", source: "recorder" } as const;
    const id = findings.begin({ ...seen, atUs: 0, score: 0.5, box: BOX, zones: ["Gate"] }) ?? "";
    findings.grow(id, { atUs: 1_000_000, score: 0.9, box: BOX, zones: ["Yard"] });
    for (let second = 2; second < 500; second++)
      findings.grow(id, { atUs: second * 1_000_000, score: 0.4, box: BOX });
    const [finding] = findings.lasting(GATE);
    expect(finding).toMatchObject({ score: 0.9, zones: ["Gate", "Yard"], best: { timeUs: 1_000_000 } });
    expect(finding?.path.length).toBeLessThanOrEqual(FINDING_PATH_MAX);
    expect(finding?.path[0]?.timeUs).toBe(0);
    expect(finding?.path.at(-1)?.timeUs).toBeGreaterThan(460_000_000);
  });

  it("are bounded for each channel", () => {
    const { findings } = book();
    const ids = Array.from({ length: LASTING_OF_CHANNEL_MAX + 1 }, (_, at) =>
      findings.begin({ channelId: GATE, kind: "person", source: "recorder", atUs: at }),
    );
    expect(ids.at(-1)).toBeUndefined();
    expect(findings.refused).toBe(1);
  });

  it("are bounded for all channels", () => {
    const { findings } = book();
    const begin = (channel: number) =>
      findings.begin({
        ...{ channelId: `00000000-0000-0000-0000-${String(channel).padStart(12, "0")}` },
        ...{ kind: "person", source: "recorder", atUs: 1 },
      });
    for (let channel = 0; channel < 64; channel++)
      for (let at = 0; at < LASTING_OF_CHANNEL_MAX; at++) expect(begin(channel)).toBeDefined();
    expect(begin(64)).toBeUndefined();
    findings.endChannel("00000000-0000-0000-0000-000000000000");
    expect(begin(64)).toBeDefined();
    expect(findings.refused).toBe(1);
  });

  it("end when their channel is not watched any more", () => {
    const { clock, findings, ended, motion } = book();
    motion(clock.nowUs());
    findings.endChannel(GATE);
    expect(ended()).toHaveLength(1);
    expect(findings.lasting()).toEqual([]);
  });

  it("cut a box to the picture", () => {
    const { findings } = book();
    const box = { left: -1, top: 0.5, width: 1.5, height: 3 };
    findings.begin({ channelId: GATE, kind: "person", source: "recorder", atUs: 1, box });
    expect(findings.lasting()[0]?.best?.box).toEqual({ left: 0, top: 0.5, width: 0.5, height: 0.5 });
  });
});
