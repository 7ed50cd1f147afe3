import { createHash, randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { S3Client } from "../../../src/away/index.js";
import { SegmentFile } from "../../../src/away/send/segment-file.js";
import { uploadSegment } from "../../../src/away/send/segment-upload.js";
import type { UploadProgress } from "../../../src/away/send/send-messages.js";
import { SystemClock } from "../../../src/base/index.js";
import { s3Target } from "../../support/away/away-samples.js";
import { ScriptedStore } from "../../support/away/scripted-store.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const CLOCK = new SystemClock();
const PART = 100_000;
const CONTENT = randomBytes(3 * PART + 17);
const SHA256 = createHash("sha256").update(CONTENT).digest("hex");
const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function parts() {
  const store = await new ScriptedStore().start();
  const client = new S3Client({
    target: s3Target({ endpoint: `http://127.0.0.1:${store.port}` }),
    clock: CLOCK,
  });
  const path_ = path.join(await temporaryDirectory(), "a.seg");
  writeFileSync(path_, CONTENT);
  const file = SegmentFile.open([`${path_}.none`, path_], CONTENT.length, CLOCK);
  ends.push(
    () => file.close(),
    () => client.close(),
    () => store.stop(),
  );
  let upload: UploadProgress | undefined;
  const send = () =>
    uploadSegment({
      ...{ client, key: "a", file, upload, sending: {}, singleBytesMax: PART, partBytes: PART },
      onUpload: (progress) => {
        upload = progress.uploadId === "" ? undefined : progress;
      },
    });
  const partsSent = () => store.asked.filter(({ query }) => query.has("partNumber")).length;
  return { store, send, partsSent, file: path_ };
}

describe("a segment in parts", () => {
  it("becomes one object with the digest of the whole", async () => {
    const { store, send } = await parts();
    expect(await send()).toBe(SHA256);
    expect(store.objects.get("box/a")?.equals(CONTENT)).toBe(true);
  });

  it("goes on with the part that has not arrived", async () => {
    const { store, send, partsSent } = await parts();
    store.fault = ({ query }) => (query.get("partNumber") === "3" ? { cutAfter: 1 } : undefined);
    await expect(send()).rejects.toThrow();
    store.fault = () => undefined;
    expect(await send()).toBe(SHA256);
    expect(partsSent()).toBe(5);
    expect(store.objects.get("box/a")?.equals(CONTENT)).toBe(true);
  });

  it("begins anew where the server has given the upload up", async () => {
    const { store, send } = await parts();
    store.fault = ({ query }) => (query.get("partNumber") === "2" ? { status: 500 } : undefined);
    await expect(send()).rejects.toThrow();
    store.uploads.clear();
    store.fault = () => undefined;
    await expect(send()).rejects.toMatchObject({ fault: "not-found" });
    expect(await send()).toBe(SHA256);
  });

  it("is read to its end though its file is removed meanwhile", async () => {
    const { store, send, file } = await parts();
    store.fault = () => {
      rmSync(file, { force: true });
      return undefined;
    };
    expect(await send()).toBe(SHA256);
  });
});

it("refuses a file that is longer or shorter than the index says", async () => {
  const { file } = await parts();
  expect(() => SegmentFile.open([file], 5, CLOCK)).toThrow(/instead of 5/);
  expect(() => SegmentFile.open([`${file}.none`], 5, CLOCK)).toThrow(
    expect.objectContaining({ isGone: true }),
  );
});
