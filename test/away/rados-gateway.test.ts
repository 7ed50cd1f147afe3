import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bucketState,
  bytesBody,
  checkTarget,
  restoreBucket,
  S3Client,
  S3Error,
  type S3Target,
  setProposedRules,
} from "../../src/away/index.js";
import { S3Exchanges } from "../../src/away/s3/s3-exchange.js";
import { SystemClock, US_PER_DAY, US_PER_HOUR } from "../../src/base/index.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { AwayBox } from "../support/away/away-box.js";
import { awayTarget, s3Target } from "../support/away/away-samples.js";
import { GATEWAY_KEY, GATEWAY_SECRET, noGateway, RadosGateway } from "../support/away/rados-gateway.js";
import { ReturningBox } from "../support/away/returning-box.js";
import { s3Failure } from "../support/away/s3-failure.js";
import { itLocksObjects, itStoresObjects } from "../support/away/store-contract.js";
import { notHere } from "../support/base/not-here.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const MIB = 1024 * 1024;
const FRAMES = 150;
const TARGET_ID = "88888888-0000-4000-8000-000000000009";

let gateway: RadosGateway;
let target: S3Target;
let client: S3Client;

/** Against Ceph's gateway: a server that nobody here wrote, and that checks signatures and digests. */
describe.skipIf(noGateway !== undefined)(`object storage${notHere(noGateway)}`, () => {
  beforeAll(async () => {
    gateway = await RadosGateway.start();
    const accessKeyId = GATEWAY_KEY;
    target = s3Target({ endpoint: gateway.endpoint, accessKeyId, secretAccessKey: GATEWAY_SECRET });
    client = clientOf({});
    const bucket = clientOf({ prefix: "" });
    await bucket.put("", bytesBody(new Uint8Array()));
    bucket.close();
  }, 2 * PATIENCE_MS);

  afterAll(async () => {
    client?.close();
    await gateway?.stop();
  });

  itStoresObjects(() => target);

  it("passes the test of a target", async () => {
    expect(await checkTarget(target, { clock: new SystemClock() })).toBeUndefined();
    expect((await client.list("test/")).objects).toEqual([]);
  });

  it.each([
    ["a wrong secret", { secretAccessKey: "other" }, "wrong-key", /access key or its secret is wrong/],
    ["an unknown key", { accessKeyId: "OTHER" }, "wrong-key", /access key or its secret is wrong/],
    ["a bucket that is not there", { bucket: "other" }, "no-bucket", /no bucket other/],
  ])("says in plain words: %s", async (_name, change, fault, text) => {
    const problem = await checkTarget({ ...target, ...change }, { clock: new SystemClock() });
    expect(problem).toMatchObject({ step: "write", fault });
    expect(problem?.text).toMatch(text);
    expect(problem?.text).not.toContain(GATEWAY_SECRET);
  });

  it("says in plain words: a clock that is off", async () => {
    const clock = new SystemClock();
    const ahead = Object.assign(Object.create(clock), { nowUs: () => clock.nowUs() + 2 * US_PER_HOUR });
    const problem = await checkTarget(target, { clock: ahead });
    expect(problem).toMatchObject({ fault: "clock" });
    expect(problem?.text).toMatch(/clock is off .* 120 minutes behind/);
  });

  it("takes what a recorder sends, and gives it back byte for byte", {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    const where = { endpoint: gateway.endpoint, accessKeyId: GATEWAY_KEY, secretAccessKey: GATEWAY_SECRET };
    const box = await AwayBox.start({ ...where, prefix: "recorder/" });
    const restored = await temporaryDirectory();
    try {
      for (let number = 0; number < 5; number++) box.record({ fromUs: START_US + number * MINUTE_US });
      box.record({ fromUs: START_US + US_PER_DAY, bytes: 9 * MIB });
      box.run();
      const fetched = () =>
        restoreBucket({
          target: { ...target, prefix: "recorder/" },
          directory: restored,
          clock: new SystemClock(),
        });
      await expect
        .poll(async () => filesIn((await fetched()).volumes[0] ?? restored).length, {
          timeout: PATIENCE_MS,
          interval: 500,
        })
        .toBe(6);
      const { volumes, damaged } = await fetched();
      expect(damaged).toEqual([]);
      for (const [key, content] of box.recorded)
        expect(readFileSync(path.join(volumes[0] ?? "", key)).equals(content)).toBe(true);
    } finally {
      await box.stop();
    }
  });

  it("is read from where recordings are only there", { timeout: 2 * PATIENCE_MS }, async () => {
    const where = { endpoint: gateway.endpoint, accessKeyId: GATEWAY_KEY, secretAccessKey: GATEWAY_SECRET };
    const box = await new ReturningBox({ ...where, prefix: "returning/" }).start();
    try {
      const before = await box.recordAway(FRAMES, { bytes: 20_000 });
      expect(await box.read(box.startUs, FRAMES)).toEqual(before);
    } finally {
      await box.stop();
    }
  });

  it("says in plain words: full", async () => {
    await gateway.limit(1);
    try {
      const error = await s3Failure(client.put("full", bytesBody(randomBytes(MIB))));
      expect(error).toMatchObject({ fault: "full", isLasting: true });
      expect(error.message).toMatch(/storage is full/);
    } finally {
      await gateway.limit(undefined);
    }
  });

  describe("a bucket with object lock", () => {
    const DAY_MS = 86_400_000;
    const where = () => ({
      ...{ endpoint: gateway.endpoint, accessKeyId: GATEWAY_KEY, secretAccessKey: GATEWAY_SECRET },
      ...{ bucket: "locked", prefix: "evidence/" },
    });
    let locked: S3Client;

    beforeAll(async () => {
      locked = clientOf({ bucket: "locked", prefix: "evidence/" });
      const header = { "x-amz-bucket-object-lock-enabled": "true" };
      const exchanges = new S3Exchanges({
        target: { ...target, bucket: "locked" },
        clock: new SystemClock(),
      });
      await exchanges.run({
        ...{ method: "PUT", key: "", headers: header, body: bytesBody(new Uint8Array()) },
      });
      exchanges.close();
    });

    afterAll(() => locked?.close());

    itLocksObjects(() => ({ ...target, bucket: "locked" }));

    /** What the server says to who would delete an object for good, with the recorder's own key. */
    async function deletion(key: string): Promise<string> {
      for (const { versionId } of await locked.bucket.versionsOf(key)) {
        const error = await locked.bucket.removeVersion(key, versionId).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error instanceof S3Error) return error.fault;
      }
      return "deleted";
    }

    it("refuses to delete evidence by its version until the lock is lifted; in compliance mode nobody can lift it", {
      timeout: 2 * PATIENCE_MS,
    }, async () => {
      const box = await AwayBox.start(where());
      try {
        for (let number = 0; number < 3; number++) box.record({ fromUs: START_US + number * MINUTE_US });
        const { channelId, targetId } = box;
        box.protectedSpans.push({ channelId, fromUs: START_US, toUs: START_US + MINUTE_US });
        box.run({ lock: { mode: "governance", days: 1, isHeld: true } });
        const [first = "", second = "", third = ""] = [...box.recorded.keys()];
        const state = async (at: number, expected: object) =>
          await expect
            .poll(() => box.replications.locks()[at], { timeout: PATIENCE_MS })
            .toMatchObject({ isCounting: false, ...expected });
        await state(0, { segments: 1, done: 1 });
        expect(await locked.bucket.lockOf(first)).toMatchObject({
          ...{ retention: { mode: "governance" }, isHeld: true },
        });
        expect(await deletion(first)).toBe("locked");
        const untilUs = (Date.now() + DAY_MS) * 1000;
        const span = { channelId, fromUs: START_US + MINUTE_US, toUs: START_US + 2 * MINUTE_US };
        const strict = await box.replications.lock(targetId, {
          ...{ ...span, mode: "compliance", untilUs, isHeld: false, comment: "", userName: "root" },
        });
        await state(1, { segments: 1, done: 1 });
        await expect(box.replications.liftLock(strict.id)).rejects.toMatchObject({ code: "CONFLICT" });
        await expect(
          locked.bucket.retain(second, { mode: "governance", untilUs: (Date.now() + 60_000) * 1000 }),
        ).rejects.toMatchObject({ fault: "locked" });
        expect(await deletion(second)).toBe("locked");
        await box.replications.liftLock(box.replications.locks()[0]?.id ?? "");
        await state(0, { segments: 1, done: 1, isLifted: true });
        const { retention, isHeld } = await locked.bucket.lockOf(first);
        expect(isHeld).toBe(false);
        expect(retention?.untilUs).toBeLessThan((Date.now() + 61_000) * 1000);
        expect(await deletion(third)).toBe("deleted");
      } finally {
        await box.stop();
      }
    });

    it("loses what is too old for good, what is protected or locked excepted", {
      timeout: 2 * PATIENCE_MS,
    }, async () => {
      const box = await AwayBox.start({ ...where(), prefix: "ageing/" });
      const ageing = clientOf({ bucket: "locked", prefix: "ageing/" });
      try {
        for (let number = 0; number < 3; number++) box.record({ fromUs: START_US + number * MINUTE_US });
        box.protectedSpans.push({ channelId: box.channelId, fromUs: START_US, toUs: START_US + MINUTE_US });
        box.run();
        const keys = [...box.recorded.keys()];
        const sizes = async () => await Promise.all(keys.map((key) => ageing.bytesOf(key)));
        await expect.poll(sizes, { timeout: PATIENCE_MS }).not.toContain(undefined);
        await expect.poll(async () => (await ageing.list("manifests/")).objects.length).toBe(1);
        await box.halt();
        box.run({ keepDays: 1 });
        await expect
          .poll(sizes, { timeout: PATIENCE_MS })
          .toEqual([box.recorded.get(keys[0] ?? "")?.length, undefined, undefined]);
        await expect.poll(() => ageing.bucket.versionsOf(keys[2] ?? "")).toEqual([]);
        expect(await ageing.bucket.versionsOf(keys[0] ?? "")).toHaveLength(1);
      } finally {
        ageing.close();
        await box.stop();
      }
    });

    it("shows, proposes and gets lifecycle rules; those of others stay", async () => {
      const foreign =
        "<Rule><ID>logs</ID><Filter><Prefix>logs/</Prefix></Filter><Status>Enabled</Status><Expiration><Days>3</Days></Expiration></Rule>";
      await locked.bucket.setRules([foreign]);
      const kept = awayTarget({ id: TARGET_ID, ...where(), keepDays: 30, ageBy: "bucket" });
      const options = { clock: new SystemClock() };
      expect(await bucketState(kept, options)).toMatchObject({
        ...{ hasLock: true, hasVersions: true, rules: [{ id: "logs" }] },
        proposed: [{ isSet: false }, { isSet: false }, { isSet: false }],
      });
      const all = await setProposedRules(kept, options);
      expect(all.proposed).toMatchObject([{ isSet: true }, { isSet: true }, { isSet: true }]);
      const fewer = await setProposedRules({ ...kept, keepDays: null }, options);
      const ids = fewer.rules?.map(({ id }) => id).sort();
      expect(ids).toEqual(["logs", "nvrd:evidence/:uploads", "nvrd:evidence/:versions"]);
      await locked.bucket.setRules([]);
    });

    it("passes the test of a target that locks and ages; another bucket is told to have no lock", async () => {
      const wants = awayTarget({
        ...{ id: TARGET_ID, ...where(), keepDays: 30, ageBy: "bucket" },
        lock: { mode: "compliance", days: 1, isHeld: false },
      });
      const check = (bucket: string) => checkTarget({ ...wants, bucket }, { clock: new SystemClock() });
      expect(await check("locked")).toBeUndefined();
      expect(await check("nvrd")).toMatchObject({ step: "lock", fault: "no-lock" });
    });
  });
});

function clientOf(change: Partial<S3Target>): S3Client {
  return new S3Client({ target: { ...target, ...change }, clock: new SystemClock() });
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".seg"),
  );
}
