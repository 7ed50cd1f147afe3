import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, frameBytes, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { type RawClient, readParts } from "../../support/http/raw-http.js";

/** Recordings of 2 Mbit/s over sockets of the kernel: more is sent than it holds long before the clients have taken it. */
const FRAME_BYTES = 10_000;
const FRAMES = 900;
const SLOW_MS = 32_000;
const TURN_MS = 100;
const BYTES_A_TURN = 2000;
const SLOW_BYTES_MAX = (SLOW_MS / TURN_MS) * BYTES_A_TURN;
/** 20 s without progress, after what the kernel holds is full. */
const ENDED_MS = 60_000;
const PATH = `/video?${ROOT_QUERY}&channelid=${GATE_ID}&mode=archive&starttime=21.11.2026%2009:00:00`;

let api: ApiHarness;

beforeEach(async () => {
  api = await startApi();
  api.archive.record(
    { channelId: GATE_ID, streamType: "Main" },
    archivedFrames(FRAMES, NINE_US, { size: FRAME_BYTES }),
  );
});

afterEach(async () => {
  await api.stop();
});

/** A client that reads nothing by itself. */
function paused(): RawClient {
  const client = api.connect({ paused: true });
  return client;
}

describe("a client that reads 20 KB/s of 2 Mbit/s", () => {
  it("keeps its connection and gets every frame whole", async () => {
    const client = paused();
    // At four times its speed what the kernel holds is full within seconds.
    client.get(`${PATH}&speed=4`);
    await until("the reader is there", () => api.archive.readers === 1);
    for (const sinceMs = performance.now(); performance.now() - sinceMs < SLOW_MS; ) {
      client.take(BYTES_A_TURN);
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
      expect(api.archive.readers, `after ${Math.round(performance.now() - sinceMs)} ms`).toBe(1);
    }
    expect(client.length).toBeGreaterThan(SLOW_BYTES_MAX / 2);
    expect(client.length).toBeLessThanOrEqual(SLOW_BYTES_MAX);
    // What was kept for it comes now; the playback goes on where it was.
    client.resume();
    await until("every frame", () => readParts(client.body).parts.length === FRAMES, ENDED_MS);
    for (const [index, part] of readParts(client.body).parts.entries())
      expect(part.body.equals(frameBytes(index, FRAME_BYTES))).toBe(true);
  });
});

describe("a client that reads nothing of 2 Mbit/s", () => {
  it("is closed after 20 s without progress", async () => {
    const client = paused();
    client.get(`${PATH}&speed=20`);
    await until("the reader is there", () => api.archive.readers === 1);
    const sinceMs = performance.now();
    await until("it is closed", () => api.archive.readers === 0, ENDED_MS);
    expect(performance.now() - sinceMs).toBeGreaterThan(20_000);
    // The kernel finds room for a few pieces more, though nobody reads them.
    expect(performance.now() - sinceMs).toBeLessThan(50_000);
    expect(JSON.stringify(api.logLines)).toContain("the client read nothing for too long");
  });
});
