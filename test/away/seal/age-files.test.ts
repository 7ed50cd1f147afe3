import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openHeader, SealError } from "../../../src/away/seal/age-header.js";
import { openRange, sealedRange, Unsealing } from "../../../src/away/seal/age-stream.js";
import { SealedFile } from "../../../src/away/send/sealed-file.js";
import { SegmentFile } from "../../../src/away/send/segment-file.js";
import { SystemClock } from "../../../src/base/index.js";
import { readIdentity, readRecipient } from "../../../src/site/index.js";
import {
  IDENTITY,
  OTHER_IDENTITY,
  RECIPIENT,
  SEALED_BY_AGE,
  SEALED_BY_TYPAGE,
} from "../../support/away/age-keys.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { notHere } from "../../support/base/not-here.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";

const KEY = readIdentity(IDENTITY) ?? new Uint8Array();
const FOR = [readRecipient(RECIPIENT) ?? new Uint8Array()];
const CHUNK = 65_536;
const SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 300_000];
const noAge = hasAge() ? undefined : "age is not installed";

const directory = forAllTests(() => new TemporaryDirectory("nvrd-age"));

function hasAge(): boolean {
  try {
    execFileSync("age", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Encrypted as a segment is when it goes. */
async function sealed(plain: Buffer): Promise<Buffer> {
  writeFileSync(directory.join("plain"), plain);
  const file = SegmentFile.open([directory.join("plain")], plain.length, new SystemClock());
  try {
    const object = new SealedFile(file, FOR);
    const pieces: Buffer[] = [];
    // In two parts, each read twice: as an upload does it.
    const middle = Math.floor(object.bytes / 2);
    for (const [from, to] of [[0, middle] as const, [middle, object.bytes] as const]) {
      const body = await object.body(from, to);
      const first: Buffer[] = [];
      const again: Buffer[] = [];
      for await (const piece of body.chunks()) first.push(Buffer.from(piece));
      for await (const piece of body.chunks()) again.push(Buffer.from(piece));
      expect(Buffer.concat(again).equals(Buffer.concat(first))).toBe(true);
      expect(Buffer.concat(first).length).toBe(to - from);
      pieces.push(...first);
    }
    return Buffer.concat(pieces);
  } finally {
    file.close();
  }
}

function opened(object: Uint8Array, keys: readonly Uint8Array[], step: number): Buffer {
  const unsealing = new Unsealing(keys);
  const plain: Buffer[] = [];
  for (let at = 0; at < object.length; at += step) plain.push(unsealing.push(object.subarray(at, at + step)));
  return Buffer.concat([...plain, unsealing.end()]);
}

describe("age files", () => {
  it.each([
    ["the command line tool", SEALED_BY_AGE, "sealed by the age command"],
    ["typage", SEALED_BY_TYPAGE, "sealed by typage"],
  ])("of %s are opened", (_name, base64, text) => {
    expect(opened(Buffer.from(base64, "base64"), [KEY], 100).toString()).toBe(text);
  });

  it.each(SIZES)("of %i bytes come back, whole and any part", async (bytes) => {
    const plain = randomBytes(bytes);
    const object = await sealed(plain);
    expect(opened(object, [KEY], 10_000).equals(plain)).toBe(true);
    const payload = openHeader(object, [KEY]);
    for (const [from, to] of [
      [0, 10],
      [CHUNK - 5, CHUNK + 5],
      [bytes - 7, bytes],
      [0, bytes],
    ] as const) {
      if (from < 0 || from >= to || to > bytes) continue;
      const [begin, end] = sealedRange(payload, from, to);
      expect(openRange(payload, object.subarray(begin, end), from, to).equals(plain.subarray(from, to))).toBe(
        true,
      );
    }
  });

  it.skipIf(noAge !== undefined)(`are opened by the command line tool${notHere(noAge)}`, async () => {
    directory.write({ key: `${IDENTITY}\n` });
    for (const bytes of SIZES) {
      const plain = randomBytes(bytes);
      const options = { input: await sealed(plain), maxBuffer: 1_000_000 };
      const text = execFileSync("age", ["-d", "-i", directory.join("key")], options);
      expect(text.equals(plain)).toBe(true);
    }
  });

  it("are opened by no other key", async () => {
    const object = await sealed(randomBytes(1000));
    const other = readIdentity(OTHER_IDENTITY) ?? new Uint8Array();
    expect(() => opened(object, [other], 5000)).toThrow(/for another key/);
    expect(() => opened(object, [], 5000)).toThrow(SealError);
  });

  it.each([
    ["cut short", (object: Buffer) => object.subarray(0, -1)],
    ["cut at a chunk", (object: Buffer) => object.subarray(0, -(300_000 % CHUNK) - 16)],
    [
      "changed",
      (object: Buffer) =>
        Buffer.concat([object.subarray(0, 70_000), Buffer.from("!"), object.subarray(70_001)]),
    ],
    ["longer", (object: Buffer) => Buffer.concat([object, Buffer.from("!")])],
    ["no age file", () => randomBytes(1000)],
  ])("are refused where they are %s", async (_name, change) => {
    const object = change(await sealed(randomBytes(300_000)));
    expect(() => opened(object, [KEY], 50_000)).toThrow(SealError);
  });

  it("have keys whose mistakes are found by their checksum", () => {
    for (const read of [
      () => readRecipient(RECIPIENT.replace(/.$/, "q")),
      () => readIdentity(IDENTITY.replace(/.$/, "Q")),
      () => readIdentity(IDENTITY.toLowerCase()),
      () => readRecipient(IDENTITY),
      () => readRecipient(""),
    ])
      expect(read()).toBeUndefined();
  });
});
