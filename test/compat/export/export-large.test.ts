import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { GATE_MAIN, timeText } from "../../support/api/exported-archive.js";
import { MEMORY_VIDEO } from "../../support/api/memory/memory-recordings.js";

const run = promisify(execFile);
const SECONDS = 360;
/** Nearly what a record may be long. */
const FRAME_BYTES = 15_000_000;
const FOUR_GIB = 2 ** 32;

let api: ApiHarness;
let url: string;

/** A frame a second, each of a segment of its own: 5.4 GB that are one piece of memory. */
beforeAll(async () => {
  api = await startApi();
  // Filler data (NAL unit type 12) behind the parameter sets.
  const bytes = Buffer.alloc(FRAME_BYTES, 0xff);
  bytes.set(MEMORY_VIDEO.initialization);
  bytes.set([0, 0, 0, 1, 12], MEMORY_VIDEO.initialization.length);
  for (let second = 0; second < SECONDS; second++) {
    const decodeTimeUs = NINE_US + second * 1_000_000;
    const flags = {
      key: true,
      damaged: false,
      undecodable: false,
      streamType: "Main" as const,
      startsFragment: second === 0,
    };
    const frame = { codec: Codec.H264, decodeTimeUs, presentationOffsetUs: 0, ...flags, bytes };
    const fragmentId = "99999999-0000-4000-8000-000000000002";
    api.archive.recordings.add(GATE_MAIN, [frame], { fragmentId, toUs: decodeTimeUs + 1_000_000 });
  }
  url = api.url(
    `/exportarchive?channelid=${GATE_ID}&fromtime=${timeText(0)}&totime=${timeText(SECONDS)}&${ROOT_QUERY}`,
  );
});

afterAll(() => api.stop());

describe("an export of more than 4 GiB", () => {
  it("says its length, and serves its end", async () => {
    const head = await fetch(url, { method: "HEAD" });
    const bytes = Number(head.headers.get("content-length"));
    expect(bytes).toBeGreaterThan(FOUR_GIB);
    const tail = await fetch(url, { headers: { range: `bytes=${bytes - 100}-` } });
    expect(tail.status).toBe(206);
    expect(tail.headers.get("content-range")).toBe(`bytes ${bytes - 100}-${bytes - 1}/${bytes}`);
    expect((await tail.arrayBuffer()).byteLength).toBe(100);
  });

  it("is seeked beyond 4 GiB by ffprobe, without reading what lies before", async () => {
    const interval = ["-read_intervals", `${SECONDS - 5}%+#2`];
    const { stdout } = await run("ffprobe", [
      ...["-v", "error", ...interval, "-show_entries", "packet=pts_time,pos,size", "-of", "csv=p=0", url],
    ]);
    const [time = 0, size = 0, position = 0] = (stdout.split("\n")[0] ?? "").split(",").map(Number);
    expect(time).toBe(SECONDS - 5);
    expect(size).toBe(FRAME_BYTES);
    expect(position).toBeGreaterThan(FOUR_GIB);
  });
});
