import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { restoreBucket } from "../../src/away/index.js";
import { Unsealing } from "../../src/away/seal/age-stream.js";
import { SystemClock } from "../../src/base/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { type AwayTarget, readIdentity } from "../../src/site/index.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { IDENTITY, OTHER_IDENTITY, RECIPIENT } from "../support/away/age-keys.js";
import { AwayBox } from "../support/away/away-box.js";
import { s3Target } from "../support/away/away-samples.js";
import { ReturningBox } from "../support/away/returning-box.js";
import { ScriptedStore } from "../support/away/scripted-store.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const SEALING: Partial<AwayTarget> = { recipients: [RECIPIENT] };
const FRAMES = 60;

let stop: () => Promise<void> = async () => undefined;
afterEach(async () => await stop());

async function boxOf(change: Partial<AwayTarget> = {}): Promise<AwayBox> {
  const box = await AwayBox.start(change);
  stop = () => box.stop();
  return box;
}

const objectsOf = (box: AwayBox) => [...box.store.objects].filter(([key]) => key.includes("/streams/"));
const keyOf = (text: string) => [readIdentity(text) ?? new Uint8Array()];

/** Sent, and named. */
async function sent(box: AwayBox): Promise<void> {
  await expect.poll(() => box.named().size).toBe(box.recorded.size);
}

async function restored(box: AwayBox, identities: readonly Uint8Array[]) {
  const target = s3Target({ endpoint: `http://127.0.0.1:${box.store.port}` });
  const directory = await temporaryDirectory();
  return {
    directory,
    report: await restoreBucket({ target, directory, identities, clock: new SystemClock() }),
  };
}

describe("encrypted recordings", () => {
  it("lie in the bucket as age files, with nothing beside them that says what is seen", async () => {
    const box = await boxOf();
    for (let number = 0; number < 3; number++)
      box.record({ fromUs: START_US + number * MINUTE_US, bytes: 100_000 });
    box.run(SEALING);
    await sent(box);
    for (const [key, object] of objectsOf(box)) {
      expect(key).toMatch(/\.seg\.age$/);
      const unsealing = new Unsealing(keyOf(IDENTITY));
      const plain = Buffer.concat([unsealing.push(object), unsealing.end()]);
      expect(box.recorded.get(key.slice("box/".length, -".age".length))?.equals(plain)).toBe(true);
    }
    const manifests = [...box.store.objects].filter(([key]) => key.includes("/manifests/"));
    for (const [, text] of manifests) expect(text.toString()).not.toMatch(/Box|Gate/);
  });

  it("are restored byte for byte with the private key, and by nobody else", async () => {
    const box = await boxOf();
    for (let number = 0; number < 3; number++)
      box.record({ fromUs: START_US + number * MINUTE_US, bytes: 150_000 });
    box.run(SEALING);
    await sent(box);
    const { report } = await restored(box, keyOf(IDENTITY));
    expect(report).toMatchObject({ segments: 3, damaged: [] });
    for (const [key, content] of box.recorded)
      expect(readFileSync(path.join(report.volumes[0] ?? "", key)).equals(content)).toBe(true);
    await expect(restored(box, [])).rejects.toThrow(/is encrypted, and no key was given/);
    await expect(restored(box, keyOf(OTHER_IDENTITY))).rejects.toThrow(/encrypted for another key/);
  });

  it("are restored onto the volume that they were moved to before they were sent", async () => {
    const box = await boxOf();
    const movedTo = "77777777-0000-4000-8000-000000000009";
    box.record({ fromUs: START_US, bytes: 150_000 }, movedTo);
    box.run(SEALING);
    await sent(box);
    const { report } = await restored(box, keyOf(IDENTITY));
    expect(report.volumes.map((volume) => path.basename(volume))).toEqual([movedTo]);
    for (const [key, content] of box.recorded)
      expect(readFileSync(path.join(report.volumes[0] ?? "", key)).equals(content)).toBe(true);
  });

  it("are audited as they lie there, without a key; a changed one is sent again", async () => {
    const box = await boxOf();
    box.record({ fromUs: START_US, bytes: 100_000 });
    box.record({ fromUs: START_US + MINUTE_US, bytes: 100_000 });
    box.run(SEALING);
    await sent(box);
    await box.halt();
    const [[key = "", object] = []] = objectsOf(box);
    const changed = Buffer.from(object ?? "");
    changed[50_000] = (changed[50_000] ?? 0) ^ 1;
    box.store.objects.set(key, changed);
    box.run({ ...SEALING, auditPercent: 100 });
    const damaged = () => box.events.raised.filter(({ typeId }) => typeId === EVENT_TYPES.awayDamaged.id);
    await expect.poll(() => damaged().length).toBe(1);
    await expect.poll(() => box.store.objects.get(key)?.equals(changed)).toBe(false);
    const isNamed = () => {
      const sha256 = createHash("sha256")
        .update(box.store.objects.get(key) ?? "")
        .digest("hex");
      return box.named().get(key.slice("box/".length)) === sha256;
    };
    await expect.poll(isNamed).toBe(true);
    await box.halt();
    const { report } = await restored(box, keyOf(IDENTITY));
    expect(report.damaged).toEqual([]);
    expect(damaged()).toHaveLength(1);
  });

  it("are played with the private key, by parts; without it who asks is told why not", async () => {
    const store = await new ScriptedStore().start();
    const where = { endpoint: `http://127.0.0.1:${store.port}`, ...SEALING };
    const box = await new ReturningBox({ ...where, identity: IDENTITY }).start();
    stop = async () => {
      await box.stop();
      store.stop();
    };
    const before = await box.recordAway(FRAMES, { bytes: 20_000 });
    expect(await box.read(box.startUs, FRAMES)).toEqual(before);
    const whole = store.asked.filter(
      ({ key, headers }) => key.endsWith(".age") && headers.range === undefined,
    );
    expect(whole.filter(({ method }) => method === "GET")).toEqual([]);
    await box.forgetBlocks({ identity: "" });
    await expect(box.read(box.startUs, FRAMES)).rejects.toThrow(
      /Cellar .* encrypted, and this recorder has no key/,
    );
  });
});
