import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { GATE_MAIN, timeText } from "../../support/api/exported-archive.js";
import { MEMORY_VIDEO } from "../../support/api/memory/memory-recordings.js";

let api: ApiHarness;
let whole: Buffer;
let etag: string;

/** 09:00:00 to 09:00:20, ten frames longer than the memory of an export among them, and again at 09:01. */
beforeAll(async () => {
  api = await startApi();
  const key = GATE_MAIN;
  const small = archivedFrames(250, NINE_US, { gopFrames: 50, size: 3000 });
  api.archive.recordings.add(key, small, { fragmentId: FRAGMENT });
  const long = archivedFrames(250, NINE_US + 10_000_000, { gopFrames: 250, size: 40_000 });
  api.archive.recordings.add(key, long, { fragmentId: FRAGMENT });
  api.archive.recordings.add(key, archivedFrames(50, NINE_US + 60_000_000, { size: 3000 }));
  const answer = await api.get(PATH);
  whole = Buffer.from(await answer.arrayBuffer());
  etag = answer.headers.get("etag") ?? "";
});

afterAll(() => api.stop());

const FRAGMENT = "99999999-0000-4000-8000-000000000001";
const PATH = `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(0)}&totime=${timeText(120)}`;

async function part(range: string, headers: Record<string, string> = {}) {
  const answer = await api.get(PATH, { range, ...headers });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe("a range of an export", () => {
  it("is what stands there in the whole file, whatever the range", async () => {
    const position = fc.integer({ min: 0, max: whole.length - 1 });
    await fc.assert(
      fc.asyncProperty(position, fc.integer({ min: 1, max: 3_000_000 }), async (from, length) => {
        const to = Math.min(whole.length, from + length);
        const { status, headers, bytes } = await part(`bytes=${from}-${to - 1}`);
        expect(status).toBe(206);
        expect(headers.get("content-range")).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
        expect(bytes.equals(whole.subarray(from, to))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("joins with its neighbours to the whole file", async () => {
    const parts: Buffer[] = [];
    for (let from = 0; from < whole.length; from += 1_777_777)
      parts.push((await part(`bytes=${from}-${from + 1_777_776}`)).bytes);
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  it.each([
    ["bytes=-500", -500, undefined],
    ["bytes=100-", 100, undefined],
    ["bytes=0-0", 0, 1],
    ["BYTES=5-9999999999999", 5, undefined],
  ])("%s is understood", async (range, from, to) => {
    const { status, bytes } = await part(range);
    expect(status).toBe(206);
    expect(bytes.equals(whole.subarray(from, to))).toBe(true);
  });

  it.each(["bytes=99999999999-", "bytes=-0"])("%s is 416 with the file's length", async (range) => {
    const { status, headers } = await part(range);
    expect(status).toBe(416);
    expect(headers.get("content-range")).toBe(`bytes */${whole.length}`);
  });

  it.each(["bytes=0-5,10-15", "frames=0-5", "bytes=5-2", "bytes=-", "bytes=a-b", "nothing"])(
    "%s is answered with the whole file",
    async (range) => {
      const { status, bytes } = await part(range);
      expect(status).toBe(200);
      expect(bytes.length).toBe(whole.length);
    },
  );

  it("is sent only while If-Range names the file as it is", async () => {
    expect((await part("bytes=0-9", { "if-range": etag })).status).toBe(206);
    expect((await part("bytes=0-9", { "if-range": '"other"' })).status).toBe(200);
    expect((await part("bytes=0-9", { "if-range": `W/${etag}` })).status).toBe(200);
  });
});

describe("an export", () => {
  it("sends the movie's header before anything of the recording is read", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    api.archive.recordings.beforeRead = () => held;
    const answer = await api.get(PATH);
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString("latin1", 4, 8)).toBe("ftyp");
    release();
    api.archive.recordings.beforeRead = () => undefined;
    await reader?.cancel();
  });

  it("says its length beforehand, to HEAD too", async () => {
    const url = api.url(`${PATH}&login=root&password=5ebe2294ecd0e0f08eab7690d2a6ee69`);
    const head = await fetch(url, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(String(whole.length));
    expect(head.headers.get("accept-ranges")).toBe("bytes");
    expect(head.headers.get("etag")).toBe(etag);
    expect(head.headers.get("content-type")).toBe("video/mp4");
  });

  it("has the SHA-256 that digest=true tells, with its length and stretches", async () => {
    const answer = await api.get(`${PATH}&digest=true`);
    const plan = (await answer.json()) as Record<string, unknown>;
    expect(plan).toMatchObject({
      Sha256: createHash("sha256").update(whole).digest("hex"),
      Bytes: whole.length,
      ETag: etag,
      ChannelName: "Gate",
      StretchesCount: 2,
      Stretches: [{ MovieSeconds: 0 }, { MovieSeconds: 60 }],
    });
    expect(await (await api.get(`${PATH}&digest=true`)).json()).toMatchObject({ Sha256: plan.Sha256 });
  });

  it("is 412 where If-Match names another file, 304 where If-None-Match names this one", async () => {
    expect((await api.get(PATH, { "if-match": '"other"' })).status).toBe(412);
    expect((await api.get(PATH, { "if-none-match": etag })).status).toBe(304);
    expect((await api.get(PATH, { "if-match": etag, range: "bytes=0-1" })).status).toBe(206);
  });

  it("goes on as it was begun while more is recorded; asked for anew it holds more", async () => {
    const live = { channelId: GATE_ID, streamType: "Alternative" } as const;
    const path = `${PATH}&streamtype=Alternative`;
    api.archive.recordings.add(live, archivedFrames(50, NINE_US), { fragmentId: FRAGMENT });
    const before = await api.get(path);
    const beforeEtag = before.headers.get("etag") ?? "";
    const bytes = Buffer.from(await before.arrayBuffer());
    api.archive.recordings.add(live, archivedFrames(50, NINE_US + 2_000_000), { fragmentId: FRAGMENT });
    const rest = await api.get(path, { range: "bytes=1000-", "if-range": beforeEtag });
    expect(rest.status).toBe(206);
    expect(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(1000))).toBe(true);
    const anew = await api.get(path);
    expect(anew.headers.get("etag")).not.toBe(beforeEtag);
    expect((await anew.arrayBuffer()).byteLength).toBeGreaterThan(bytes.length);
  });

  it("has another ETag once some of it was removed, and no part of it is sent for the old one", async () => {
    const other = { channelId: GATE_ID, streamType: "SecondAlternative" } as const;
    const path = `${PATH}&streamtype=SecondAlternative`;
    const first = api.archive.recordings.add(other, archivedFrames(50, NINE_US));
    api.archive.recordings.add(other, archivedFrames(50, NINE_US + 30_000_000));
    const before = (await api.get(path)).headers.get("etag") ?? "";
    api.archive.recordings.removed.add(first);
    const after = await api.get(path, { range: "bytes=0-9", "if-range": before });
    expect(after.status).toBe(200);
    expect(after.headers.get("etag")).not.toBe(before);
    await after.arrayBuffer();
  });

  it("is cut off, never wrong, where a recording is removed while it is sent", async () => {
    const other = { channelId: GATE_ID, streamType: "ThirdAlternative" } as const;
    const { recordings } = api.archive;
    recordings.add(other, archivedFrames(25, NINE_US, { size: 200_000 }), { video: MEMORY_VIDEO });
    const second = recordings.add(other, archivedFrames(25, NINE_US + 10_000_000, { size: 200_000 }));
    recordings.beforeRead = () => void recordings.removed.add(second);
    await expect(
      api.get(`${PATH}&streamtype=ThirdAlternative`).then((answer) => answer.arrayBuffer()),
    ).rejects.toThrow();
    recordings.beforeRead = () => undefined;
    expect(recordings.open).toBe(0);
  });
});

describe("a group of pictures longer than the memory of an export", () => {
  it("is read once, whatever is read again of what lies at the ends of its fragments", async () => {
    const { recordings } = api.archive;
    let reads = 0;
    recordings.beforeRead = () => void reads++;
    const path = `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(12)}&totime=${timeText(20)}`;
    await (await api.get(path)).arrayBuffer();
    recordings.beforeRead = () => undefined;
    // 10 MB, and 3.5 MiB a fragment.
    expect(reads).toBe(3);
  });
});
