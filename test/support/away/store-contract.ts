import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { bytesBody, S3Client, type S3Target } from "../../../src/away/index.js";
import { SystemClock } from "../../../src/base/index.js";
import { s3Failure } from "./s3-failure.js";

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
let prefixes = 0;

/** A client of the store below a prefix of its own, for one test. */
function clientAt(target: S3Target): S3Client {
  prefixes += 1;
  const at = { ...target, prefix: `contract/${prefixes}/` };
  const client = new S3Client({ target: at, clock: new SystemClock() });
  onTestFinished(() => client.close());
  return client;
}

/** What a store does with objects: what stands for one does the same, or whoever is tested with it is tested with less. */
export function itStoresObjects(where: () => S3Target): void {
  it("gives back what was put, whole and by range", async () => {
    const client = clientAt(where());
    const content = randomBytes(3 * MIB);
    await client.put("a.seg", bytesBody(content));
    expect((await client.get("a.seg", { bytesMax: content.length })).body.equals(content)).toBe(true);
    const { body } = await client.get("a.seg", { bytesMax: 10, range: [MIB, MIB + 10] });
    expect(body.equals(content.subarray(MIB, MIB + 10))).toBe(true);
    const end = await client.get("a.seg", { bytesMax: 1000, range: [3 * MIB - 5, 3 * MIB + 100] });
    expect(end.body.equals(content.subarray(3 * MIB - 5))).toBe(true);
    expect(await client.bytesOf("a.seg")).toBe(content.length);
  });

  it("has no range behind the end of an object", async () => {
    const client = clientAt(where());
    await client.put("a", bytesBody(Buffer.from("12345")));
    const error = await s3Failure(client.get("a", { bytesMax: MIB, range: [5, 8] }));
    expect(error.code).toBe("InvalidRange");
  });

  it("has the newest content of an object that is put again", async () => {
    const client = clientAt(where());
    for (const content of ["old and longer", "new"]) await client.put("a", bytesBody(Buffer.from(content)));
    expect((await client.get("a", { bytesMax: 100 })).body.toString()).toBe("new");
    expect((await client.list("")).objects).toEqual([{ key: "a", bytes: 3 }]);
  });

  it("lists what begins with a prefix in the order of the names, also names with signs that need escapes", async () => {
    const client = clientAt(where());
    const names = ["list/a b", "list/c&<d>", "list/ä+(1)"];
    for (const name of [...names.toReversed(), "lost"]) await client.put(name, bytesBody(Buffer.from(name)));
    const { objects, next } = await client.list("list/");
    expect(objects.map(({ key }) => key)).toEqual(names);
    expect(next).toBeUndefined();
    const after = await client.list("list/", { after: "list/a b" });
    expect(after.objects.map(({ key }) => key)).toEqual(names.slice(1));
    expect((await client.list("nothing/")).objects).toEqual([]);
  });

  it("lists folders, each once", async () => {
    const client = clientAt(where());
    for (const name of ["f/b/1", "f/b/2", "f/a/x/3", "f/file"])
      await client.put(name, bytesBody(Buffer.from(name)));
    expect(await client.folders("f/")).toEqual({ folders: ["a/", "b/"], next: undefined });
  });

  it("removes an object, and one that is not there", async () => {
    const client = clientAt(where());
    await client.put("gone", bytesBody(Buffer.from("x")));
    await client.remove("gone");
    await client.remove("gone");
    expect(await client.bytesOf("gone")).toBeUndefined();
    await expect(client.get("gone", { bytesMax: MIB })).rejects.toMatchObject({ fault: "not-found" });
    expect((await client.list("")).objects).toEqual([]);
  });

  it("makes an object of parts in the order of their numbers, and has none before", async () => {
    const client = clientAt(where());
    const parts = [randomBytes(5 * MIB), randomBytes(1000)];
    const uploadId = await client.beginUpload("parts");
    const sent = [];
    for (const number of [2, 1])
      sent.unshift(
        await client.putPart("parts", { uploadId, number }, bytesBody(parts[number - 1] ?? Buffer.alloc(0))),
      );
    expect(await client.bytesOf("parts")).toBeUndefined();
    await client.finishUpload("parts", uploadId, sent);
    const { body } = await client.get("parts", { bytesMax: 6 * MIB });
    expect(body.equals(Buffer.concat(parts))).toBe(true);
  });

  it("makes no object of a part that it has otherwise", async () => {
    const client = clientAt(where());
    const uploadId = await client.beginUpload("parts");
    const sent = await client.putPart("parts", { uploadId, number: 1 }, bytesBody(randomBytes(1000)));
    const etag = '"00000000000000000000000000000000"';
    const error = await s3Failure(client.finishUpload("parts", uploadId, [{ ...sent, etag }]));
    expect(error.code).toBe("InvalidPart");
    expect(await client.bytesOf("parts")).toBeUndefined();
  });

  it("forgets an upload that is given up, and one that it does not know", async () => {
    const client = clientAt(where());
    const uploadId = await client.beginUpload("parts");
    await client.abortUpload("parts", uploadId);
    await client.abortUpload("parts", uploadId);
    const late = client.putPart("parts", { uploadId, number: 1 }, bytesBody(Buffer.from("x")));
    await expect(late).rejects.toMatchObject({ fault: "not-found" });
  });

  it.each([
    ["Content-MD5", { md5: bytesBody(Buffer.from("other")).md5 }],
    ["SHA-256", { sha256: bytesBody(Buffer.from("other")).sha256 }],
  ])("refuses a body with a wrong %s", async (_name, wrong) => {
    const client = clientAt(where());
    const error = await s3Failure(client.put("wrong", { ...bytesBody(Buffer.from("content")), ...wrong }));
    expect(["digest", "answer"]).toContain(error.fault);
    expect(await client.bytesOf("wrong")).toBeUndefined();
  });

  it("takes a tag off an object, and off one that has none", async () => {
    const client = clientAt(where());
    await client.put("a", bytesBody(Buffer.from("x")), { tag: "nvrd=old" });
    await client.bucket.untag("a");
    await client.bucket.untag("a");
    expect(await client.bytesOf("a")).toBe(1);
  });

  it("locks nothing in a bucket without object lock", async () => {
    const client = clientAt(where());
    await client.put("a", bytesBody(Buffer.from("x")));
    expect(await client.bucket.hasLock()).toBe(false);
    const until = { mode: "governance", untilUs: (Date.now() + DAY_MS) * 1000 } as const;
    await expect(client.bucket.retain("a", until)).rejects.toMatchObject({ fault: "no-lock" });
    await expect(client.bucket.hold("a", true)).rejects.toMatchObject({ fault: "no-lock" });
    expect(await client.bucket.lockOf("a")).toEqual({ retention: undefined, isHeld: false });
    await expect(client.bucket.lockOf("missing")).rejects.toMatchObject({ fault: "not-found" });
  });
}

/** What a store does with the objects of a bucket with object lock. */
export function itLocksObjects(where: () => S3Target): void {
  const untilUs = (days: number) => Math.floor((Date.now() + days * DAY_MS) / 1000) * 1_000_000;

  it("says of an object how it is locked", async () => {
    const client = clientAt(where());
    expect(await client.bucket.hasLock()).toBe(true);
    await client.put("a", bytesBody(Buffer.from("x")));
    expect(await client.bucket.lockOf("a")).toEqual({ retention: undefined, isHeld: false });
    const retention = { mode: "governance", untilUs: untilUs(2) } as const;
    await client.bucket.retain("a", retention);
    await client.bucket.hold("a", true);
    expect(await client.bucket.lockOf("a")).toEqual({ retention, isHeld: true });
    await client.bucket.hold("a", false);
    const shorter = { ...retention, untilUs: untilUs(1) };
    await client.bucket.retain("a", shorter);
    expect(await client.bucket.lockOf("a")).toEqual({ retention: shorter, isHeld: false });
  });

  it("shortens no lock in compliance mode", async () => {
    const client = clientAt(where());
    await client.put("a", bytesBody(Buffer.from("x")));
    const retention = { mode: "compliance", untilUs: untilUs(1) } as const;
    await client.bucket.retain("a", retention);
    for (const change of [
      { untilUs: Math.floor(Date.now() + 60_000) * 1000 },
      { mode: "governance" as const },
    ])
      await expect(client.bucket.retain("a", { ...retention, ...change })).rejects.toMatchObject({
        fault: "locked",
      });
    expect(await client.bucket.lockOf("a")).toEqual({ retention, isHeld: false });
  });

  it("locks nothing that is not there", async () => {
    const client = clientAt(where());
    const retention = { mode: "governance", untilUs: untilUs(1) } as const;
    await expect(client.bucket.retain("missing", retention)).rejects.toMatchObject({ fault: "not-found" });
    await expect(client.bucket.hold("missing", true)).rejects.toMatchObject({ fault: "not-found" });
  });
}
