import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { isKeyFramesFragment, type SegmentSummary } from "../../src/archive/index.js";
import { restoreBucket } from "../../src/away/index.js";
import { readManifest } from "../../src/away/plan/manifest.js";
import { s3TargetOf } from "../../src/away/target-address.js";
import { SystemClock } from "../../src/base/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { AWAY_PLAN_DEFAULT, readIdentity } from "../../src/site/index.js";
import type { ReadFrame } from "../support/archive/archive-fixture.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { IDENTITY, RECIPIENT } from "../support/away/age-keys.js";
import { AwayBox } from "../support/away/away-box.js";
import { ReturningBox } from "../support/away/returning-box.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const FRAMES = 250;
const everything = { ...AWAY_PLAN_DEFAULT, content: "everything", from: "oldest" } as const;
const keyFrames = { ...everything, content: "keyFrames" } as const;

const stores: ScriptedStore[] = [];
let box: ReturningBox | undefined;

afterEach(async () => {
  await box?.stop();
  box = undefined;
  for (const store of stores.splice(0)) store.stop();
});

async function newStore(): Promise<ScriptedStore> {
  const store = await new ScriptedStore().start();
  stores.push(store);
  return store;
}

const at = ({ port }: ScriptedStore) => ({ endpoint: `http://127.0.0.1:${port}` });

/** A recorder with ten seconds of two GOPs a segment, of which the key frames were sent. */
async function keyFramesSent(change = {}) {
  const store = await newStore();
  box = await new ReturningBox({ ...at(store), plan: keyFrames, ...change }).start();
  await box.record(FRAMES, { bytes: 2000 });
  const before = await box.read(box.startUs, FRAMES);
  await box.send();
  return { store, box, before, segments: box.segments };
}

const objects = (store: ScriptedStore) =>
  [...store.objects.keys()].filter((key) => key.startsWith("box/streams/")).sort();
const manifestOf = (store: ScriptedStore) => {
  const key =
    [...store.objects.keys()]
      .filter((name) => name.startsWith("box/manifests/"))
      .sort()
      .at(-1) ?? "";
  return { key, manifest: readManifest(store.objects.get(key) ?? Buffer.alloc(0)) };
};
const keysOf = (frames: readonly ReadFrame[]) => frames.filter(({ key }) => key);
const bytesOf = (frames: readonly ReadFrame[]) =>
  frames.map(({ decodeTimeUs, bytes }) => `${decodeTimeUs} ${createHash("md5").update(bytes).digest("hex")}`);
const spanOf = (segments: readonly SegmentSummary[]) => ({
  fromUs: segments[0]?.fromUs ?? 0,
  toUs: segments.at(-1)?.toUs ?? 0,
});

it("go alone, under names of their own, with sizes and digests of their own", async () => {
  const { store, segments, before } = await keyFramesSent();
  const keys = objects(store);
  expect(keys).toHaveLength(segments.length);
  expect(keys.every((key) => key.endsWith(".key.seg"))).toBe(true);
  const { key, manifest } = manifestOf(store);
  expect(JSON.parse(String(store.objects.get(key)))).toMatchObject({
    nvrdManifest: 3,
    segments: segments.map(() => ({ keyFrames: true, audioFrames: 0 })),
  });
  for (const [place, entry] of manifest.segments.entries()) {
    const content = store.objects.get(keys[place] ?? "") ?? Buffer.alloc(0);
    expect(entry.bytes).toBe(content.length);
    expect(entry.sha256).toBe(createHash("sha256").update(content).digest("hex"));
    expect(content.length).toBeLessThan((segments[place]?.bytes ?? 0) / 10);
    expect(isKeyFramesFragment(entry.fragmentId)).toBe(true);
  }
  const counted = manifest.segments.reduce((sum, { videoFrames }) => sum + videoFrames, 0);
  expect(counted).toBe(keysOf(before).length);
});

it("are played where nothing else is left, and nowhere else", async () => {
  const { box, before, segments } = await keyFramesSent();
  box.comeBack();
  await box.known(segments.length);
  const archive = box.archive;
  const all = spanOf(segments);
  expect(await box.read(box.startUs, FRAMES)).toEqual(before);
  expect(archive.keyFramesOnly(box.key, all.fromUs, all.toUs)).toEqual([]);
  const whole = archive.fragments(box.key, all.fromUs, all.toUs);
  const lost = segments.slice(1, -1);
  await box.lose(lost);
  const gone = spanOf(lost);
  const isGone = ({ decodeTimeUs }: ReadFrame) => gone.fromUs <= decodeTimeUs && decodeTimeUs < gone.toUs;
  const expected = before.filter((frame) => !isGone(frame) || frame.key);
  expect(bytesOf(await box.read(box.startUs, expected.length + 1))).toEqual(bytesOf(expected));
  expect(archive.keyFramesOnly(box.key, all.fromUs, all.toUs)).toEqual([gone]);
  expect(archive.awayOnly(box.key, all.fromUs, all.toUs)).toEqual([gone]);
  const parts = archive.fragments(box.key, all.fromUs, all.toUs);
  expect(parts.map(({ fromUs, toUs }) => ({ fromUs, toUs }))).toEqual([
    { fromUs: all.fromUs, toUs: gone.fromUs },
    gone,
    { fromUs: gone.toUs, toUs: all.toUs },
  ]);
  expect(parts.map(({ id }) => isKeyFramesFragment(id))).toEqual([false, true, false]);
  expect(parts[0]?.id).toBe(whole[0]?.id);
});

it("are read at once where the disk of the whole recordings was pulled out", async () => {
  const { box, before, segments } = await keyFramesSent();
  box.comeBack();
  await box.known(segments.length);
  await box.loseVolume();
  const expected = keysOf(before);
  expect(bytesOf(await box.read(box.startUs, expected.length + 1))).toEqual(bytesOf(expected));
});

it("give way to the whole recordings of another bucket", async () => {
  const [cellar, attic] = [await newStore(), await newStore()];
  box = await new ReturningBox(
    { ...at(cellar), plan: keyFrames },
    { ...at(attic), plan: everything },
  ).start();
  await box.record(FRAMES, { bytes: 2000 });
  const before = await box.read(box.startUs, FRAMES);
  const { segments } = box;
  await box.send();
  box.comeBack();
  await box.known(segments.length);
  await box.lose(segments);
  cellar.asked.length = 0;
  expect(await box.read(box.startUs, FRAMES)).toEqual(before);
  expect(cellar.asked.filter(({ key }) => key.endsWith(".seg"))).toEqual([]);
  const all = spanOf(segments);
  expect(box.archive.keyFramesOnly(box.key, all.fromUs, all.toUs)).toEqual([]);
  expect(box.archive.fragments(box.key, all.fromUs, all.toUs)).toMatchObject([all]);
});

it("give way to the whole recordings once everything is to go, and are removed then", async () => {
  const { store, box, before, segments } = await keyFramesSent();
  box.comeBack();
  await box.known(segments.length);
  const [first] = segments;
  if (first === undefined) throw new Error("something was recorded");
  // Blocks of the key frames lie in memory and on the disk.
  await box.lose([first]);
  await box.read(box.startUs, FRAMES);
  await box.leave();
  const left = segments.slice(1);
  await box.send(
    { plan: everything },
    {
      more: left.length,
      isDone: () => objects(store).length === segments.length,
    },
  );
  const { manifest } = manifestOf(store);
  expect(manifest.segments.map(({ fragmentId }) => isKeyFramesFragment(fragmentId))).toEqual([
    true,
    ...left.map(() => false),
  ]);
  expect(objects(store).filter((key) => key.endsWith(".key.seg"))).toHaveLength(1);
  box.comeBack();
  await box.known(segments.length);
  await box.lose(left);
  const all = spanOf(segments);
  const alone = () => box?.archive.keyFramesOnly(box.key, all.fromUs, all.toUs);
  await expect.poll(alone).toEqual([spanOf([first])]);
  const expected = before.filter((frame) => frame.key || frame.decodeTimeUs >= first.toUs);
  expect(bytesOf(await box.read(box.startUs, expected.length + 1))).toEqual(bytesOf(expected));
});

it("do not take the place of what was sent whole before", async () => {
  const store = await newStore();
  box = await new ReturningBox({ ...at(store), plan: everything }).start();
  await box.record(FRAMES, { bytes: 2000 });
  await box.send();
  const before = objects(store);
  await box.send({ plan: keyFrames }, { more: 0 });
  expect(objects(store)).toEqual(before);
});

it("of times that are protected before or after they went do not suffice: these go whole", async () => {
  const { store, box, segments } = await keyFramesSent();
  const [, second] = segments;
  box.protectedSpans.push({ fromUs: (second?.fromUs ?? 0) + 1, toUs: (second?.fromUs ?? 0) + 2 });
  await box.send({}, { more: 1 });
  const forms = manifestOf(store).manifest.segments.map(({ fragmentId }) => isKeyFramesFragment(fragmentId));
  expect(forms).toEqual(segments.map((segment) => segment !== second));
});

it("that are missing in the bucket are found, and sent again while the segment is here", async () => {
  const { store, box } = await keyFramesSent();
  const [key = ""] = objects(store);
  const before = store.objects.get(key);
  store.objects.delete(key);
  await box.send({ auditPercent: 100 }, { more: 1, isDone: () => store.objects.has(key) });
  expect(store.objects.get(key)).toEqual(before);
});

describe("beside motion and what retention takes", () => {
  let recorder: AwayBox | undefined;

  afterEach(() => recorder?.stop());

  async function recorderWith(minutes: number) {
    const made = await AwayBox.start({ plan: keyFrames });
    recorder = made;
    made.hasFrames = true;
    const segments = Array.from({ length: minutes }, (_one, number) =>
      made.record({ fromUs: START_US + number * MINUTE_US }),
    );
    made.wantsKeyFrames = () => true;
    return { recorder: made, segments };
  }

  it("what moved goes whole once events are to go, and the rest stays as it is", async () => {
    const made = await recorderWith(4);
    made.recorder.run();
    await made.recorder.sentAll();
    const [, second] = made.segments;
    const { channelId, events } = made.recorder;
    for (const [seconds, { id: typeId }] of [
      [20, EVENT_TYPES.motionStarted],
      [25, EVENT_TYPES.motionEnded],
    ] as const)
      events.raise({ typeId, channelId, timeUs: (second?.fromUs ?? 0) + seconds * 1_000_000 });
    await made.recorder.halt();
    made.recorder.wantsKeyFrames = ({ segmentId }) => segmentId !== second?.segmentId;
    made.recorder.run({ plan: { ...keyFrames, content: "events", secondsBefore: 1, secondsAfter: 1 } });
    await made.recorder.sentAll();
    await expect.poll(() => made.recorder.unnamed()).toEqual([]);
  });

  it("those that a power cut made nobody know of are removed once their whole segments are named", async () => {
    const { recorder: box, segments } = await recorderWith(3);
    box.run();
    await box.sentAll();
    await box.loseState();
    for (const key of box.store.objects.keys())
      if (key.startsWith("box/manifests/")) box.store.objects.delete(key);
    expect(box.unnamed()).toHaveLength(segments.length);
    box.wantsKeyFrames = () => false;
    box.run({ plan: everything });
    await box.sentAll();
    await expect.poll(() => box.unnamed()).toEqual([]);
  });

  it("those that are named stay after a restart, beside whole segments of their day", async () => {
    const { recorder: box, segments } = await recorderWith(3);
    box.run();
    await box.sentAll();
    const [, second] = segments;
    if (second === undefined) throw new Error("three were recorded");
    box.wantsKeyFrames = (segment) => segment !== second;
    box.protectedSpans.push({ channelId: box.channelId, fromUs: second.fromUs, toUs: second.toUs });
    await box.halt();
    box.run();
    await box.sentAll();
    await expect.poll(() => box.unnamed()).toEqual([]);
    await box.halt();
    const isDayListed = () =>
      box.store.asked.some(({ key, query }) => key === "" && `${query}`.includes("streams"));
    box.store.asked.length = 0;
    box.run();
    await expect.poll(isDayListed).toBe(true);
    // Longer than what was replaced stays.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await box.sentAll();
  });

  it("what retention takes is missed where its key frames were not sent, and only there", async () => {
    const { recorder: box, segments } = await recorderWith(3);
    box.run();
    await box.sentAll();
    const [first] = segments;
    if (first !== undefined) await box.removeHere(first);
    box.store.fault = ({ key }) => (key.endsWith(".seg") ? { status: 503, code: "SlowDown" } : undefined);
    const late = box.record({ fromUs: START_US + 9 * MINUTE_US });
    await expect.poll(() => box.state?.activity).toBe("failing");
    await box.removeHere(late);
    const missed = () => box.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.awayMissed.id);
    await expect.poll(missed).toHaveLength(1);
    expect(missed()[0]?.comment).toMatch(/: 1 recordings, /);
  });
});

it("are encrypted as whole recordings are, and read back with the key", async () => {
  const { store, box, before, segments } = await keyFramesSent({
    recipients: [RECIPIENT],
    identity: IDENTITY,
  });
  expect(objects(store).every((key) => key.endsWith(".key.seg.age"))).toBe(true);
  box.comeBack();
  await box.known(segments.length);
  await box.lose(segments);
  const expected = keysOf(before);
  expect(bytesOf(await box.read(box.startUs, expected.length + 1))).toEqual(bytesOf(expected));
});

it("are restored as what they are, never over the whole, and the whole replaces them", async () => {
  const identities = [readIdentity(IDENTITY) ?? new Uint8Array()];
  const { box, segments } = await keyFramesSent({ recipients: [RECIPIENT], identity: IDENTITY });
  const directory = await temporaryDirectory();
  const target = s3TargetOf(box.target);
  const restore = () => restoreBucket({ target, directory, identities, clock: new SystemClock() });
  const first = await restore();
  expect(first).toMatchObject({ segments: segments.length, kept: 0, damaged: [] });
  expect(await restore()).toMatchObject({ segments: 0, kept: segments.length });
  const whole = await newStore();
  await box.send({ ...at(whole), prefix: "whole/", plan: everything, recipients: [] });
  const sent = [...whole.objects.keys()].filter((key) => key.startsWith("whole/streams/"));
  expect(sent).toHaveLength(segments.length);
  const wholeTarget = s3TargetOf(box.target);
  const second = await restoreBucket({ target: wholeTarget, directory, clock: new SystemClock() });
  expect(second).toMatchObject({ segments: segments.length, kept: 0, damaged: [] });
  const [volume = ""] = second.volumes;
  const fileOf = (key: string) => `${volume}/${key.slice("whole/".length)}`;
  for (const key of sent) expect(readFileSync(fileOf(key))).toEqual(whole.objects.get(key));
  expect(await restore()).toMatchObject({ segments: 0, kept: segments.length });
});
