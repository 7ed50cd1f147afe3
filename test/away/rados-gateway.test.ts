import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bytesBody,
  checkTarget,
  restoreBucket,
  S3Client,
  S3Error,
  type S3Target,
} from "../../src/away/index.js";
import { SystemClock, US_PER_DAY, US_PER_HOUR } from "../../src/base/index.js";
import { MINUTE_US, START_US } from "../support/archive/segment-fixtures.js";
import { AwayBox } from "../support/away/away-box.js";
import { s3Target } from "../support/away/away-samples.js";
import { GATEWAY_KEY, GATEWAY_SECRET, noGateway, RadosGateway } from "../support/away/rados-gateway.js";
import { ReturningBox } from "../support/away/returning-box.js";
import { notHere } from "../support/base/not-here.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const MIB = 1024 * 1024;
const FRAMES = 150;
const KEY = "streams/a/Main/2026-01-01/segment.seg";

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

  it("gives back what was put, whole and by range", async () => {
    const content = randomBytes(3 * MIB);
    await client.put(KEY, bytesBody(content));
    expect((await client.get(KEY, { bytesMax: content.length })).body.equals(content)).toBe(true);
    const { body } = await client.get(KEY, { bytesMax: 10, range: [MIB, MIB + 10] });
    expect(body.equals(content.subarray(MIB, MIB + 10))).toBe(true);
    expect(await client.bytesOf(KEY)).toBe(content.length);
  });

  it("lists in pages what begins with a prefix, also names with signs that need escapes", async () => {
    const names = ["list/a b", "list/ä+(1)", "list/c&<d>"];
    for (const name of names) await client.put(name, bytesBody(Buffer.from(name)));
    const { objects, next } = await client.list("list/");
    expect(objects.map(({ key }) => key).sort()).toEqual([...names].sort());
    expect(next).toBeUndefined();
    expect((await client.list("list/", { after: "list/a b" })).objects).toHaveLength(2);
  });

  it("removes an object, and one that is not there", async () => {
    await client.put("gone", bytesBody(Buffer.from("x")));
    await client.remove("gone");
    await client.remove("gone");
    expect(await client.bytesOf("gone")).toBeUndefined();
  });

  it("makes an object of parts, and forgets an upload that is given up", async () => {
    const parts = [randomBytes(5 * MIB), randomBytes(1000)];
    const uploadId = await client.beginUpload("parts");
    const sent = [];
    for (const [index, part] of parts.entries())
      sent.push(await client.putPart("parts", { uploadId, number: index + 1 }, bytesBody(part)));
    expect(await client.bytesOf("parts")).toBeUndefined();
    await client.finishUpload("parts", uploadId, sent);
    const { body } = await client.get("parts", { bytesMax: 6 * MIB });
    expect(body.equals(Buffer.concat(parts))).toBe(true);
    const other = await client.beginUpload("parts");
    await client.abortUpload("parts", other);
    await client.abortUpload("parts", other);
    await expect(
      client.putPart("parts", { uploadId: other, number: 1 }, bytesBody(Buffer.from("x"))),
    ).rejects.toMatchObject({ fault: "not-found" });
  });

  it.each([
    ["Content-MD5", { md5: bytesBody(Buffer.from("other")).md5 }],
    ["SHA-256", { sha256: bytesBody(Buffer.from("other")).sha256 }],
  ])("refuses a body with a wrong %s", async (_name, wrong) => {
    const error = await failure(client.put("wrong", { ...bytesBody(Buffer.from("content")), ...wrong }));
    expect(["digest", "answer"]).toContain(error.fault);
    expect(await client.bytesOf("wrong")).toBeUndefined();
  });

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
      await box.record(FRAMES, { bytes: 20_000 });
      const before = await box.read(box.startUs, FRAMES);
      const { segments } = box;
      await box.send();
      box.comeBack();
      await box.known(segments.length);
      await box.lose(segments);
      expect(await box.read(box.startUs, FRAMES)).toEqual(before);
    } finally {
      await box.stop();
    }
  });

  it("says in plain words: full", async () => {
    await gateway.limit(1);
    try {
      const error = await failure(client.put("full", bytesBody(randomBytes(MIB))));
      expect(error).toMatchObject({ fault: "full", isLasting: true });
      expect(error.message).toMatch(/storage is full/);
    } finally {
      await gateway.limit(undefined);
    }
  });
});

function clientOf(change: Partial<S3Target>): S3Client {
  return new S3Client({ target: { ...target, ...change }, clock: new SystemClock() });
}

async function failure(work: Promise<unknown>): Promise<S3Error> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof S3Error) return error;
  throw new Error(`no S3Error: ${String(error)}`);
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".seg"),
  );
}
