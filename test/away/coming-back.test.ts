import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newStreamKey } from "../support/archive/archive-fixture.js";
import { ReturningBox } from "../support/away/returning-box.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { PATIENCE_MS } from "../support/base/patience.js";

const FRAMES = 200;
const SECOND_US = 1_000_000;

let store: ScriptedStore;
let box: ReturningBox;

describe("a camera of which nothing is recorded but in the bucket", () => {
  let own: ScriptedStore;
  let other: ReturningBox;

  beforeAll(async () => {
    own = await new ScriptedStore().start();
    other = await new ReturningBox({ endpoint: `http://127.0.0.1:${own.port}` }).start();
    await other.record(FRAMES);
    await other.send();
    other.comeBack();
    await other.known(other.segments.length);
  }, PATIENCE_MS);

  afterAll(async () => {
    await other.stop();
    own.stop();
  });

  /** Manifests bring the segments, and the names after them. */
  const isNamed = () =>
    expect.poll(() => other.archive.recordedName(other.key.channelId), { timeout: PATIENCE_MS }).toBe("Gate");
  const reach = () => ({ id: other.key.channelId, fromUs: other.startUs, toUs: expect.any(Number) });

  it("is none off the box while it is here as well", () => {
    expect(other.archive.recordedChannels()).toEqual([reach()]);
  });

  it("is recorded, with the name that the bucket knows, also after a start", async () => {
    const all = await other.read(other.startUs, FRAMES);
    await other.lose(other.segments);
    const expectKnown = (): void => {
      const { archive, key } = other;
      expect(archive.hasChannel(key.channelId)).toBe(true);
      expect(archive.recordedChannels()).toEqual([{ ...reach(), isAway: true }]);
      expect(archive.recordedName(key.channelId)).toBe("Gate");
    };
    await isNamed();
    expectKnown();
    expect(await other.read(other.startUs, FRAMES)).toEqual(all);
    await other.leave();
    expect(other.archive.hasChannel(other.key.channelId)).toBe(false);
    other.comeBack();
    await isNamed();
    expectKnown();
  });

  it("gives its recordings to another one", async () => {
    const { archive, key } = other;
    const heir = newStreamKey();
    await archive.giveRecordings(key.channelId, heir.channelId);
    expect(archive.hasChannel(key.channelId)).toBe(false);
    expect(archive.hasChannel(heir.channelId)).toBe(true);
    expect(archive.hasArchiveAt(heir, other.startUs)).toBe(true);
    await archive.takeBackRecordings(key.channelId);
  });

  it("is none any more when it was deleted, and the bucket keeps what it has", async () => {
    const { archive, key } = other;
    const before = [...own.objects.keys()];
    await archive.deleteChannel(key.channelId);
    expect(archive.hasChannel(key.channelId)).toBe(false);
    expect(archive.recordedChannels()).toEqual([]);
    expect([...own.objects.keys()]).toEqual(before);
    await other.archiveAgain();
    await expect.poll(() => other.state?.knownSegments ?? 0, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
    expect(other.archive.recordedChannels()).toEqual([]);
  });
});

describe("recordings that are only in the bucket", () => {
  beforeAll(async () => {
    store = await new ScriptedStore().start();
    box = await new ReturningBox({ endpoint: `http://127.0.0.1:${store.port}` }).start();
    await box.record(FRAMES);
    await box.send();
  }, PATIENCE_MS);

  afterEach(() => {
    store.fault = () => undefined;
  });

  afterAll(async () => {
    await box.stop();
    store.stop();
  });

  it("are read as if they were here, byte for byte", async () => {
    const before = await box.read(box.startUs, FRAMES);
    expect(before).toHaveLength(FRAMES);
    const { segments } = box;
    expect(segments.length).toBeGreaterThanOrEqual(4);
    box.comeBack();
    await box.known(segments.length);
    store.asked.length = 0;
    // While they are here nothing is asked for.
    expect(await box.read(box.startUs, FRAMES)).toEqual(before);
    expect(store.asked).toEqual([]);
    await box.lose(segments.slice(0, -1));
    expect(await box.read(box.startUs, FRAMES)).toEqual(before);
    expect(store.asked.some(({ key, headers }) => key.endsWith(".seg") && headers.range !== undefined)).toBe(
      true,
    );
    store.asked.length = 0;
    const middleUs = box.startUs + 2.5 * SECOND_US;
    const after = before.filter(({ decodeTimeUs }) => decodeTimeUs >= box.startUs + 2 * SECOND_US);
    const found = await box.read(middleUs, after.length);
    expect(found.map(({ bytes }) => bytes)).toEqual(after.map(({ bytes }) => bytes));
  });

  it("are known after a start, and kept on the disk, without a request", async () => {
    const count = keys().length;
    const all = await box.read(box.startUs, FRAMES);
    await box.leave();
    store.fault = () => ({ status: 503, code: "SlowDown" });
    box.comeBack();
    await box.known(count);
    expect(await box.read(box.startUs, FRAMES)).toEqual(all);
    await expect.poll(() => box.state?.problem, { timeout: PATIENCE_MS }).toMatch(/busy/);
    store.fault = () => undefined;
    await expect.poll(() => box.state?.problem, { timeout: PATIENCE_MS }).toBeUndefined();
  });

  it("are passed over where the bucket has lost one, and skipped to the next key frame where it is damaged", async () => {
    const all = await box.read(box.startUs, FRAMES);
    const [lost = "", damaged = ""] = keys();
    const content = store.objects.get(damaged) ?? Buffer.alloc(0);
    const changed = Buffer.from(content);
    changed[200] = (changed[200] ?? 0) ^ 1;
    const kept = new Map(store.objects);
    store.objects.delete(lost);
    store.objects.set(damaged, changed);
    await box.forgetBlocks();
    const found = await box.read(box.startUs, FRAMES);
    expect(found.length).toBeLessThan(all.length);
    for (const frame of found)
      expect(all.find(({ decodeTimeUs }) => decodeTimeUs === frame.decodeTimeUs)?.bytes).toEqual(frame.bytes);
    for (const [key, object] of kept) store.objects.set(key, object);
    await box.forgetBlocks();
    expect(await box.read(box.startUs, FRAMES)).toEqual(all);
  });

  it("stop being fetched when their reader leaves", { timeout: PATIENCE_MS }, async () => {
    await box.forgetBlocks();
    store.fault = ({ key }) => (key.endsWith(".seg") ? "silence" : undefined);
    const reader = box.archive.read(box.key, { fromUs: box.startUs });
    const next = reader.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    reader.close();
    expect(await next).toEqual([]);
    store.fault = () => undefined;
    expect(await box.read(box.startUs, FRAMES)).toHaveLength(FRAMES);
  });

  it("tell their key frames themselves where the manifest does not", async () => {
    const all = await box.read(box.startUs, FRAMES);
    const manifest = [...store.objects.keys()].find((key) => key.includes("/manifests/")) ?? "";
    const text = store.objects.get(manifest)?.toString() ?? "";
    expect(text).toMatch(/"gops":"/);
    store.objects.set(manifest, Buffer.from(text.replaceAll(/,"gops":"[^"]*"/g, "")));
    await box.forgetAll();
    await box.known(text.split("segmentId").length - 1);
    expect(await box.read(box.startUs, FRAMES)).toEqual(all);
    expect(box.archive.nearestFrameUs(box.key, box.startUs + 2.3 * SECOND_US)).toBe(
      box.startUs + 2 * SECOND_US,
    );
  });

  it("are read from there while their volume is not here", async () => {
    const all = await box.read(box.startUs, FRAMES);
    await box.loseVolume();
    expect(await box.read(box.startUs, FRAMES)).toEqual(all);
  });

  it("are forgotten when the bucket does not name them any more", async () => {
    for (const key of [...store.objects.keys()]) if (key.includes("/manifests/")) store.objects.delete(key);
    await box.leave();
    box.comeBack();
    await box.known(0);
    expect(box.archive.fragments(box.key, box.startUs, box.startUs + SECOND_US)).toEqual([]);
  });
});

/** Of the segments, in order. */
function keys(): readonly string[] {
  return [...store.objects.keys()].filter((key) => key.endsWith(".seg")).sort();
}
