import { describe, expect, it } from "vitest";
import type { S3Client } from "../../../src/away/s3/s3-client.js";
import { S3Error } from "../../../src/away/s3/s3-error.js";
import { SealedReads } from "../../../src/away/send/sealed-reads.js";
import { IDENTITY, OTHER_IDENTITY, RECIPIENT, SEALED_BY_AGE } from "../../support/away/age-keys.js";

const TEXT = "sealed by the age command";
const SEALED = Buffer.from(SEALED_BY_AGE, "base64");

/** A bucket that notes which objects it was asked for. */
function bucket(objects: Record<string, Buffer>, status = 206, said?: string) {
  const asked: string[] = [];
  const get = async (key: string, { range: [from, to] }: { range: readonly [number, number] }) => {
    asked.push(key);
    const object = objects[key];
    if (object === undefined) throw new S3Error("not-found", "it is not there");
    const headers = said === undefined ? {} : { "content-range": said };
    return { status, body: object.subarray(from, to), headers, aheadMs: undefined };
  };
  return { objects, asked, client: { get } as unknown as S3Client };
}

function readsOf({ client }: { client: S3Client }, identity = "", recipients: string[] = []) {
  const reads = new SealedReads(client, { recipients, identity });
  return async (key: string, from = 0, to = TEXT.length): Promise<string> =>
    Buffer.from(await reads.read(key, [from, to], {})).toString();
}

describe("a part of an object", () => {
  it("that is plain is one request; where encrypted ones are expected, the first time two", async () => {
    const plain = bucket({ a: Buffer.from(TEXT) });
    const read = readsOf(plain);
    expect([await read("a", 7, 9), await read("a")]).toEqual(["by", TEXT]);
    expect(plain.asked).toEqual(["a", "a"]);
    plain.asked.length = 0;
    const expecting = readsOf(plain, "", [RECIPIENT]);
    expect([await expecting("a"), await expecting("a")]).toEqual([TEXT, TEXT]);
    expect(plain.asked).toEqual(["a.age", "a", "a"]);
  });

  it("that is encrypted is opened with the key, and its head is read once", async () => {
    const sealed = bucket({ "a.age": SEALED });
    const read = readsOf(sealed, IDENTITY);
    expect([await read("a", 7, 9), await read("a")]).toEqual(["by", TEXT]);
    expect(sealed.asked).toEqual(["a.age", "a.age", "a.age"]);
  });

  it("of neither kind is not found", async () => {
    const empty = bucket({});
    await expect(readsOf(empty)("a")).rejects.toMatchObject({ fault: "not-found" });
    expect(empty.asked).toEqual(["a", "a.age"]);
  });

  it("is read in the other way where it was sent again so", async () => {
    const changing = bucket({ a: Buffer.from(TEXT) });
    const read = readsOf(changing, IDENTITY);
    await read("a");
    delete changing.objects.a;
    changing.objects["a.age"] = SEALED;
    await expect(read("a")).rejects.toMatchObject({ fault: "not-found" });
    expect(await read("a")).toBe(TEXT);
  });

  it("without the key says so, and with a damaged body that it cannot be decrypted", async () => {
    const sealed = bucket({ "a.age": SEALED });
    await expect(readsOf(sealed, OTHER_IDENTITY)("a")).rejects.toMatchObject({ fault: "sealed" });
    await expect(readsOf(sealed, "", [RECIPIENT])("a")).rejects.toMatchObject({ fault: "sealed" });
    const damaged = Buffer.from(SEALED);
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    const other = bucket({ "a.age": damaged });
    await expect(readsOf(other, IDENTITY)("a")).rejects.toMatchObject({ fault: "digest" });
  });

  it("is refused from a storage that sends whole objects instead", async () => {
    const whole = bucket({ a: Buffer.from(TEXT) }, 200);
    await expect(readsOf(whole)("a")).rejects.toMatchObject({ fault: "answer" });
    expect(whole.asked).toEqual(["a"]);
  });
});

describe("a part that a storage says something of", () => {
  const bytes = TEXT.length;

  it.each([
    ["all of it", `bytes 0-${bytes - 1}/${bytes}`],
    ["of an object whose length it does not say", `bytes 0-${bytes - 1}/*`],
    ["in capitals", `BYTES 0-${bytes - 1}/1000`],
  ])("is taken where it is %s", async (_, said) => {
    expect(await readsOf(bucket({ a: Buffer.from(TEXT) }, 206, said))("a")).toBe(TEXT);
  });

  it("is taken where the object ends before", async () => {
    const short = bucket({ a: Buffer.from("short") }, 206, "bytes 0-4/5");
    expect(await readsOf(short)("a")).toBe("short");
  });

  it.each([
    ["from another place", `bytes 1-${bytes}/1000`],
    ["shorter than it says", `bytes 0-${bytes}/1000`],
    ["shorter than asked for, and more is there", "bytes 0-4/1000", "short"],
    ["shorter than asked for, of an unknown length", "bytes 0-4/*", "short"],
  ])("is asked for again where it is %s", async (_, said, text = TEXT) => {
    const other = bucket({ a: Buffer.from(text) }, 206, said);
    await expect(readsOf(other)("a")).rejects.toMatchObject({ fault: "busy" });
  });
});

it("of 512 objects it is known how they are, and of the one read before them no more", async () => {
  const names = Array.from({ length: 513 }, (_, at) => `a${at}`);
  const many = bucket(Object.fromEntries(names.map((name) => [name, Buffer.from(TEXT)])));
  const read = readsOf(many, "", [RECIPIENT]);
  for (const name of names) await read(name);
  many.asked.length = 0;
  await read("a1");
  expect(many.asked).toEqual(["a1"]);
  await read("a0");
  expect(many.asked).toEqual(["a1", "a0.age", "a0"]);
});
