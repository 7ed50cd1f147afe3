import { beforeEach, describe, expect, it } from "vitest";
import { CHANNEL_NAMES_FILE, ChannelNames } from "../../../src/archive/volume/channel-names.js";
import { createLog } from "../../../src/base/index.js";
import { NotedVolume } from "../../support/archive/noted-volume.js";
import { guidOfNumber, volumeOfNumber } from "../../support/archive/segment-fixtures.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const [GATE, YARD] = [guidOfNumber(1, 8), guidOfNumber(2, 8)];

let clock: SimulatedClock;
let volumes: NotedVolume[];
let present: Map<string, string>;
let recorded: string[];

beforeEach(() => {
  clock = new SimulatedClock();
  volumes = [1, 2].map((number) => new NotedVolume(volumeOfNumber(number)));
  present = new Map([
    [GATE, "Gate"],
    [YARD, "Yard"],
  ]);
  recorded = [GATE];
});

const namesOn = (some: readonly NotedVolume[]) =>
  new ChannelNames({
    volumes: () => some,
    recorded: () => recorded,
    present: () => present,
    clock,
    log: createLog({ level: "silent" }),
  });

/** A recorder that knows the volumes, looks, and forgets its cameras. */
async function noted(): Promise<void> {
  await namesOn(volumes).look();
  present = new Map();
}

describe("the names of recorded channels", () => {
  it("are on each volume, and known where the configuration is another one", async () => {
    await noted();
    for (const volume of volumes) {
      const names = namesOn([volume]);
      await names.look();
      expect([names.of(GATE), names.of(YARD)]).toEqual(["Gate", undefined]);
    }
  });

  it("follow a change, and the later one is believed of two volumes", async () => {
    const [first, second] = volumes;
    if (first === undefined || second === undefined) throw new Error("two volumes");
    await namesOn(volumes).look();
    present.set(GATE, "Front gate");
    clock.advance(1_000_000);
    await namesOn([second]).look();
    present = new Map();
    const names = namesOn(volumes);
    await names.look();
    expect(names.of(GATE)).toBe("Front gate");
    expect(first.notes.get(CHANNEL_NAMES_FILE)).toContain("Front gate");
  });

  it("are written only when one has changed", async () => {
    const names = namesOn(volumes);
    await names.look();
    for (const volume of volumes) volume.notes.delete(CHANNEL_NAMES_FILE);
    clock.advance(1_000_000);
    await names.look();
    expect(volumes.flatMap(({ notes }) => [...notes.keys()])).toEqual([]);
  });

  it("of a damaged entry are lost alone", async () => {
    recorded = [GATE, YARD];
    await noted();
    for (const volume of volumes) {
      const text = volume.notes.get(CHANNEL_NAMES_FILE) ?? "";
      volume.notes.set(CHANNEL_NAMES_FILE, text.replace('"name":"Gate"', '"name":5'));
    }
    const names = namesOn(volumes);
    await names.look();
    expect([names.of(GATE), names.of(YARD)]).toEqual([undefined, "Yard"]);
  });

  it("are written anew where the file is damaged or cannot be read", async () => {
    const [first, second] = volumes;
    first?.notes.set(CHANNEL_NAMES_FILE, "{");
    if (second !== undefined) second.failReads = "EIO";
    await namesOn(volumes).look();
    for (const volume of volumes) expect(volume.notes.get(CHANNEL_NAMES_FILE)).toContain("Gate");
  });

  it("stay while a disk does not answer", async () => {
    const [first] = volumes;
    if (first === undefined) throw new Error("a volume");
    await noted();
    const before = first.notes.get(CHANNEL_NAMES_FILE);
    first.takeAgain();
    first.isSilent = true;
    present = new Map([[GATE, "Other"]]);
    await namesOn([first]).look();
    expect(first.notes.get(CHANNEL_NAMES_FILE)).toBe(before);
  });
});
