import { describe, expect, it } from "vitest";
import { EVERYTHING, FindingHarness, type GATE, VOLUME, YARD } from "../support/finding/finding-harness.js";
import { MemorySideFiles } from "../support/finding/memory-side-files.js";

const BOX = { left: 0.2, top: 0.3, width: 0.1, height: 0.2 };

async function seenThings() {
  const harness = new FindingHarness();
  await harness.store.read();
  const atUs = harness.clock.nowUs();
  const person = harness.seen({ atUs, box: BOX, score: 0.9, zones: ["Front gate"] });
  const car = harness.seen({
    atUs: atUs + 1,
    kind: "vehicle",
    label: "car",
    channelId: YARD,
    box: { ...BOX, width: 0.5 },
  });
  const plate = harness.seen({
    atUs: atUs + 2,
    kind: "plate",
    text: "B-AB 123",
    source: "analyser",
    sourceName: "Box",
  });
  const motion = harness.seen({ atUs: atUs + 3, kind: "motion", source: "motion", strength: 0.3 });
  return { harness, atUs, person, car, plate, motion };
}

describe("the search for findings", () => {
  it("answers the newest first, page by page, each once", async () => {
    const { harness, person, car, plate, motion } = await seenThings();
    const pages: string[][] = [];
    let before: { channelId: typeof GATE; beginUs: number } | undefined;
    for (;;) {
      const { findings, hasMore } = await harness.store.search({ ...EVERYTHING, limit: 3, before });
      pages.push(findings.map(({ id }) => id));
      const last = findings.at(-1);
      if (!hasMore || last === undefined) break;
      before = last;
    }
    expect(pages).toEqual([[motion, plate, car], [person]]);
  });

  it("shows no channel that is not asked for", async () => {
    const { harness, car } = await seenThings();
    expect(await harness.found({ channels: new Map([[YARD, "Back yard"]]) })).toEqual([car]);
  });

  it("takes a kind, a source, a zone, a size, a score", async () => {
    const { harness, person, car, plate, motion } = await seenThings();
    expect(await harness.found({ kinds: ["vehicle"] })).toEqual([car]);
    expect(await harness.found({ sources: ["motion"] })).toEqual([motion]);
    expect(await harness.found({ zones: ["front gate"] })).toEqual([person]);
    expect(await harness.found({ sizeMin: 0.05 })).toEqual([car]);
    expect(await harness.found({ scoreMin: 0.5 })).toEqual([person]);
    expect(await harness.found({ labels: ["car", "plate"] })).toEqual([plate, car]);
  });

  it("understands words of kinds, labels, zones, cameras and plates, in both languages", async () => {
    const { harness, person, car, plate } = await seenThings();
    expect(await harness.found({ text: "person gate" })).toEqual([person]);
    expect(await harness.found({ text: "Человек" })).toEqual([person]);
    expect(await harness.found({ text: "cars yard" })).toEqual([car]);
    expect(await harness.found({ text: "b-ab" })).toEqual([plate]);
    expect(await harness.found({ text: "person yard" })).toEqual([]);
    expect(await harness.found({ plate: "123" })).toEqual([plate]);
  });

  it("takes who crossed a line, whatever it was, by line and direction", async () => {
    const { harness, atUs, person } = await seenThings();
    const over = { line: "Drive", direction: "leftToRight" } as const;
    const crossed = harness.seen({ ...over, atUs: atUs + 10, kind: "vehicle", label: "van" });
    const back = harness.seen({ atUs: atUs + 11, line: "Path", direction: "rightToLeft" });
    const crossing = harness.seen({ atUs: atUs + 12, kind: "lineCrossed" });
    expect(await harness.found({ kinds: ["lineCrossed"] })).toEqual([crossing, back, crossed]);
    expect(await harness.found({ kinds: ["person"] })).toEqual([back, person]);
    expect(await harness.found({ lines: ["drive"] })).toEqual([crossed]);
    expect(await harness.found({ direction: "rightToLeft" })).toEqual([back]);
    expect(await harness.found({ text: "van line" })).toEqual([crossed]);
  });

  it("takes what touches a part of the picture", async () => {
    const { harness, person, car } = await seenThings();
    const region = { left: 0.25, top: 0.4, width: 0.1, height: 0.1 };
    expect(await harness.found({ region })).toEqual([car, person]);
    expect(await harness.found({ region: { ...region, left: 0.5 } })).toEqual([car]);
  });

  it("takes what lasted into the time that is searched", async () => {
    const { harness, atUs, person } = await seenThings();
    expect(await harness.found({ fromUs: atUs + 500_000, toUs: atUs })).toEqual([person]);
    expect(await harness.found({ fromUs: atUs + 2_000_000 })).toEqual([]);
  });

  it("answers each once, and all, where one is on two volumes", async () => {
    const harness = new FindingHarness();
    await harness.store.read();
    const ids = [0, 1, 2].map((at) => harness.seen({ atUs: harness.clock.nowUs() + at }));
    await harness.store.flush();
    const other = new MemorySideFiles(YARD);
    for (const [path, bytes] of harness.volume.files) other.files.set(path, bytes);
    [harness.inUse, harness.knownIds] = [
      [harness.volume, other],
      [VOLUME, YARD],
    ];
    await harness.store.read();
    expect(await harness.store.search({ ...EVERYTHING, limit: 1 })).toMatchObject({ hasMore: true });
    expect(await harness.found({ limit: 2 })).toEqual([ids[2], ids[1]]);
    expect(await harness.found()).toEqual([...ids].reverse());
  });

  it("lets other work go on, and misses nothing for what is entered meanwhile", async () => {
    const harness = new FindingHarness();
    const atUs = harness.clock.nowUs();
    const ids = Array.from({ length: 6000 }, (_, at) => harness.seen({ atUs: atUs + at * 2 }));
    await harness.found({ limit: 1 });
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (turns < 1000) setImmediate(turn);
    };
    setImmediate(turn);
    let isEntered = false;
    const isWanted = (): boolean => {
      if (!isEntered) {
        for (let at = 0; at < 50; at++) harness.seen({ atUs: atUs + at * 2 + 1 });
        void harness.found({ limit: 1 });
      }
      isEntered = true;
      return true;
    };
    const found = new Set(await harness.found({ isWanted, limit: 10_000 }));
    expect(ids.filter((id) => !found.has(id))).toEqual([]);
    expect(turns).toBeGreaterThan(3);
    turns = 1000;
  });

  it("ends when whoever asked has left", async () => {
    const { harness } = await seenThings();
    const signal = AbortSignal.abort(new Error("left"));
    await expect(harness.found({ signal })).rejects.toThrow("left");
  });
});
