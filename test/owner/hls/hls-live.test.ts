import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import {
  NAME_UNUSED_MS_MAX,
  NAMES_PER_USER_MAX,
  REQUESTS_PER_NAME_MAX,
} from "../../../src/owner/hls/hls-sessions.js";
import { BLOCK_MS_MAX } from "../../../src/player/hls/limits.js";
import { type Site, type UserGroup, withoutCameras } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, rights, YARD_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { H264_FORMAT, pictures } from "../../support/hls/hls-frames.js";
import { readPlaylist } from "../../support/hls/hls-playlist.js";
import { RawClient } from "../../support/http/raw-http.js";

const PAGE = "https://panel.example";
const EVERYTHING: Partial<UserGroup> = {
  rights: rights(),
  realtimeChannels: [GATE_ID],
  archiveChannels: [GATE_ID],
};

let api: ApiHarness;
let clock: SimulatedClock;

beforeEach(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 10, 21, 9) * 1000);
  api = await startApi({ clock });
  api.streams.live(GATE_ID).setState({ state: "active" });
  publish(50);
  await changeGroup(EVERYTHING);
});

afterEach(() => api.stop());

/** Publishes the next pictures of Gate's main stream. */
let published = 0;
function publish(count: number): void {
  const stream = api.streams.live(GATE_ID);
  if (stream.gop.length === 0) published = 0;
  // The camera has a key frame a second.
  for (const frame of pictures(count, { from: published, gop: 25 })) stream.publish(frame);
  published += count;
}

const changeSite = (change: (site: Site) => Partial<Site>) =>
  api.site.change((site) => ({ ...site, ...change(site) }));
const changeGroup = (change: Partial<UserGroup>) => changeGuards(api.site, change);

const ask = (path: string): Promise<Response> => fetch(api.url(path), { headers: { Origin: PAGE } });

/** The token of a new name, asked for as the guard. */
async function newName(query = `channelid=${GATE_ID}`): Promise<string> {
  const asked = ask(`/hls?login=guard&${query}`);
  // The current GOP is one second; the first segment ends with the key frame behind it.
  await until("the packager is there", () => api.streams.live(GATE_ID).subscribers > 0);
  publish(25);
  const response = await asked;
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringMatching(/^[0-9a-f]{40}\.m3u8$/)]);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  return text.slice(0, -".m3u8".length);
}

async function media(name: string, query = "") {
  const response = await ask(`/hls/${name}/media.m3u8${query}`);
  expect(response.status).toBe(200);
  return readPlaylist(await response.text());
}

async function settle(us = 300_000): Promise<void> {
  await clock.advanceSlowly(us, 50_000);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("a name of HLS", () => {
  it("leads to a multivariant playlist, with the ending and without, and that to what a player needs", async () => {
    const name = await newName();
    for (const path of [`/hls/${name}.m3u8`, `/hls/${name}`]) {
      const response = await ask(path);
      expect(response.headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
      expect(response.headers.get("access-control-allow-origin")).toBe(PAGE);
      const text = await response.text();
      expect(text).toContain('CODECS="avc1.64000b"');
      const uri = new URL(text.trim().split("\n").at(-1) ?? "", api.url(path));
      expect(uri.pathname).toBe(`/hls/${name}/media.m3u8`);
    }
    const { segments } = await media(name);
    for (const file of [segments[0]?.map, segments[0]?.uri, segments[0]?.parts[0]?.uri]) {
      const response = await ask(`/hls/${name}/${file}`);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, "video/mp4"]);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(300);
    }
  });

  it("tells HEAD the length that GET sends, of whatever size the file is", async () => {
    const name = await newName();
    // A segment of more bytes than are sent whole.
    for (const frame of pictures(60, { from: published, gop: 60, bytes: 4000 }))
      api.streams.live(GATE_ID).publish(frame);
    published += 60;
    publish(25);
    await settle();
    const { segments } = await media(name);
    const whole = segments.flatMap(({ uri }) => (uri === undefined ? [] : [uri]));
    const files = ["media.m3u8", segments[0]?.map, ...whole];
    const lengths: number[] = [];
    for (const file of files) {
      const path = api.url(`/hls/${name}/${file}`);
      const answer = await fetch(path);
      const body = await answer.arrayBuffer();
      expect([file, answer.headers.get("content-length")]).toEqual([file, String(body.byteLength)]);
      const head = await fetch(path, { method: "HEAD" });
      expect([file, head.status, head.headers.get("content-length")]).toEqual([
        file,
        200,
        String(body.byteLength),
      ]);
      lengths.push(body.byteLength);
    }
    expect(Math.max(...lengths)).toBeGreaterThan(64 * 1024);
  });

  it("is no other's: names that nobody was given, and files that are none, are 404", async () => {
    const name = await newName();
    const unknown = ["0".repeat(40), `${name}0`, "..%2f..", "%00", "", "constructor"];
    for (const path of unknown.map((text) => `/hls/${text}`))
      expect([400, 401, 404]).toContain((await ask(path)).status);
    const files = ["s99.m4s", "s-1.m4s", "p0.99.m4s", "i9.mp4", "i1e9.mp4", "x", "media.m3u8x", "s0.m4s/x"];
    for (const file of files) expect([file, (await ask(`/hls/${name}/${file}`)).status]).toEqual([file, 404]);
  });

  it("is in no log line", async () => {
    const name = await newName();
    await media(name);
    await ask(`/hls/${name}/s77.m4s`);
    await ask(`/hls/${name}/s77.m4s/more`);
    expect(api.logLines.length).toBeGreaterThan(3);
    expect(JSON.stringify(api.logLines)).not.toContain(name);
  });

  it("ends when nobody has used it for 30 s, and the stream is left", async () => {
    const name = await newName();
    expect(api.streams.live(GATE_ID).subscribers).toBe(1);
    await settle((NAME_UNUSED_MS_MAX - 10_000) * 1000);
    await media(name);
    await settle((NAME_UNUSED_MS_MAX - 10_000) * 1000);
    expect((await ask(`/hls/${name}/media.m3u8`)).status).toBe(200);
    await settle((NAME_UNUSED_MS_MAX + 6000) * 1000);
    expect((await ask(`/hls/${name}/media.m3u8`)).status).toBe(404);
    expect(api.streams.live(GATE_ID).subscribers).toBe(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ["the channel's live right", () => changeGroup({ ...EVERYTHING, realtimeChannels: [] })],
    [
      "the right to the main stream",
      () => changeGroup({ ...EVERYTHING, rights: rights({ CanReceiveMainStream: false }) }),
    ],
    ["every right", () => changeGroup({ ...EVERYTHING, rights: rights({ IsAllForbidden: true }) })],
    ["the user", () => changeSite((site) => ({ users: site.users.filter(({ name }) => name !== "guard") }))],
    [
      "the password",
      () =>
        changeSite((site) => ({
          users: site.users.map((user) =>
            user.name === "guard" ? { ...user, secret: "f".repeat(32) } : user,
          ),
        })),
    ],
    ["the camera", () => changeSite((site) => withoutCameras(site, [GATE_ID]))],
  ])("ends when %s is withdrawn", async (_title, change) => {
    const name = await newName();
    await media(name);
    await change();
    await settle();
    for (const path of [`/hls/${name}`, `/hls/${name}/media.m3u8`, `/hls/${name}/s0.m4s`])
      expect((await ask(path)).status).toBe(404);
  });

  it("ends a request that waits when the right is withdrawn", async () => {
    const name = await newName();
    const { segments } = await media(name);
    const waiting = ask(`/hls/${name}/media.m3u8?_HLS_msn=${(segments.at(-1)?.sequence ?? 0) + 1}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await changeGroup({ ...EVERYTHING, realtimeChannels: [] });
    await settle();
    expect((await waiting).status).toBe(404);
  });

  it("stays as it is when the right that another stream needs is withdrawn", async () => {
    const name = await newName();
    await changeGroup({ ...EVERYTHING, rights: rights({ CanReceiveSound: false }), archiveChannels: [] });
    await settle();
    expect((await ask(`/hls/${name}/media.m3u8`)).status).toBe(200);
  });

  it("is one of a bounded number a user", async () => {
    for (let count = 0; count < NAMES_PER_USER_MAX; count += 1) await newName();
    const response = await ask(`/hls?login=guard&channelid=${GATE_ID}`);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "30"]);
    // All of them are one packager's.
    expect(api.streams.live(GATE_ID).subscribers).toBe(1);
    expect((await api.get(`/hls?channelid=${GATE_ID}`)).status).toBe(200);
  });
});

describe("GET /hls", () => {
  it.each([
    [`channelid=${GATE_ID}&mode=archive`, 400],
    [`channelid=${GATE_ID}&starttime=21.11.2026+09:00:00`, 400],
    [`channelid=${GATE_ID}&speed=2`, 400],
    [`channelid=${GATE_ID}&mode=archive&starttime=21.11.2026+09:00:00&speed=21`, 400],
    [`channelid=${GATE_ID}&mode=archive&starttime=yesterday`, 400],
    [`channelid=${GATE_ID}&sound=loud`, 400],
    [`channelid=${GATE_ID}&streamtype=%00`, 400],
    ["channelid=gate", 400],
    ["", 400],
    [`channelid=${GATE_ID}&streamtype=thirdalternative`, 404],
    [`channelid=${YARD_ID}`, 404],
  ])("answers %s with %i", async (query, status) => {
    const response = await ask(`/hls?login=guard&${query}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(/^Error code: \d+\r\nMessage: .{10}/);
  });

  it("is 501 for a stream that no player decodes where there is no encoder, and says what to do", async () => {
    api.codec.withoutEncoder = true;
    const format = { ...H264_FORMAT, codec: Codec.MJPEG, initialization: new Uint8Array(0) };
    const stream = api.streams.live(GATE_ID, "Alternative");
    stream.setState({ state: "active" });
    for (const frame of pictures(3, { gop: 1, format })) stream.publish(frame);
    const response = await api.get(`/hls?channelid=${GATE_ID}&streamtype=alternative`);
    expect(response.status).toBe(501);
    expect(await response.text()).toContain("HLS carries H.264 and H.265, this stream is MJPEG");
  });

  it("is 503 with the reason when no segment comes", async () => {
    api.streams.live(GATE_ID).setState({ state: "lost", reason: "no route to host" });
    const asked = ask(`/hls?login=guard&channelid=${GATE_ID}`);
    await until("it subscribes", () => api.streams.live(GATE_ID).subscribers === 1);
    await settle(5_000_000);
    const response = await asked;
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("no route to host");
    expect(api.streams.live(GATE_ID).subscribers).toBe(0);
  });

  it("leaves the stream when the client has gone before the first segment", async () => {
    api.streams.live(GATE_ID).setState({ state: "connecting" });
    const client = new RawClient(api.port);
    client.get(`/hls?login=guard&channelid=${GATE_ID}`);
    await until("it subscribes", () => api.streams.live(GATE_ID).subscribers === 1, {
      seen: () => api.streams.live(GATE_ID).subscribers,
    });
    client.socket.destroy();
    await until("it leaves", () => api.streams.live(GATE_ID).subscribers === 0, {
      seen: () => api.streams.live(GATE_ID).subscribers,
    });
  });
});

describe("a blocking reload", () => {
  it("is answered with the part that was asked for, once it is there", async () => {
    const name = await newName();
    const before = await media(name);
    const last = before.segments.at(-1);
    const next = last?.uri === undefined ? last?.sequence : (last?.sequence ?? 0) + 1;
    const part = last?.uri === undefined ? last?.parts.length : 0;
    expect(before.preloadHint).toBe(`p${next}.${part}.m4s`);
    let answered = false;
    const waiting = media(name, `?_HLS_msn=${next}&_HLS_part=${part}`).finally(() => {
      answered = true;
    });
    const hinted = ask(`/hls/${name}/${before.preloadHint}`);
    publish(5);
    await settle(100_000);
    expect(answered).toBe(false);
    publish(20);
    const after = await waiting;
    expect(after.segments.find(({ sequence }) => sequence === next)?.parts.length).toBeGreaterThan(part ?? 0);
    expect((await hinted).status).toBe(200);
  });

  it("for a whole segment waits for all of it", async () => {
    const name = await newName();
    const sequence = (await media(name)).segments.at(-1)?.sequence ?? 0;
    const waiting = media(name, `?_HLS_msn=${sequence}`);
    publish(75);
    const { segments } = await waiting;
    expect(segments.find((segment) => segment.sequence === sequence)?.uri).toBe(`s${sequence}.m4s`);
  });

  it("for what is there is answered at once", async () => {
    const name = await newName();
    expect((await media(name, "?_HLS_msn=0")).segments[0]?.sequence).toBe(0);
    expect((await media(name, "?_HLS_msn=0&_HLS_part=1")).segments[0]?.sequence).toBe(0);
  });

  it("gets the playlist as it is when nothing comes in time", async () => {
    const name = await newName();
    const { segments } = await media(name);
    const waiting = media(name, `?_HLS_msn=${(segments.at(-1)?.sequence ?? 0) + 1}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await settle((BLOCK_MS_MAX + 100) * 1000);
    expect((await waiting).segments).toEqual(segments);
  });

  it.each([
    "_HLS_part=1",
    "_HLS_msn=1000",
    "_HLS_msn=-1",
    "_HLS_msn=x",
    "_HLS_msn=1&_HLS_part=1.5",
    "_HLS_msn=9999999999",
  ])("that says %s is 400", async (query) => {
    const name = await newName();
    const response = await ask(`/hls/${name}/media.m3u8?${query}`);
    expect(response.status).toBe(400);
  });

  it("is one of a bounded number a name", async () => {
    const name = await newName();
    const next = ((await media(name)).segments.at(-1)?.sequence ?? 0) + 1;
    const waiting = Array.from({ length: REQUESTS_PER_NAME_MAX }, () =>
      ask(`/hls/${name}/media.m3u8?_HLS_msn=${next}`),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await ask(`/hls/${name}/media.m3u8`)).status).toBe(429);
    publish(100);
    for (const each of await Promise.all(waiting)) expect(each.status).toBe(200);
  });

  it.each(["media.m3u8?_HLS_msn=", "the next part"])(
    "takes no place once its client has gone: %s",
    async (what) => {
      const name = await newName();
      const { segments, preloadHint } = await media(name);
      const file = what === "the next part" ? preloadHint : `${what}${(segments.at(-1)?.sequence ?? 0) + 1}`;
      const clients = Array.from({ length: REQUESTS_PER_NAME_MAX }, () => new RawClient(api.port));
      for (const client of clients) client.get(`/hls/${name}/${file}`);
      const status = async () => (await ask(`/hls/${name}/media.m3u8`)).status;
      await expect.poll(status).toBe(429);
      for (const client of clients) client.socket.destroy();
      await expect.poll(status).toBe(200);
    },
  );
});

describe("a live playlist", () => {
  it("goes on behind a gap with a discontinuity, and the time of the pictures", async () => {
    const name = await newName();
    const stream = api.streams.live(GATE_ID);
    for (const frame of pictures(75, { from: published + 1500, gap: true })) stream.publish(frame);
    const { segments } = await media(name);
    const at = segments.findIndex(({ discontinuities }) => discontinuities === 1);
    const [before, behind] = [segments[at - 1], segments[at]];
    expect((behind?.timeMs ?? 0) - (before?.timeMs ?? 0)).toBeGreaterThan(60_000);
    expect(behind?.map).not.toBe(before?.map);
  });

  it("has the same files for all who play it, packaged once", async () => {
    const [one, other] = [await newName(), await newName()];
    expect(one).not.toBe(other);
    const bytes = await Promise.all(
      [one, other].map(async (name) => Buffer.from(await (await ask(`/hls/${name}/s0.m4s`)).arrayBuffer())),
    );
    expect(bytes[0]?.equals(bytes[1] ?? Buffer.alloc(0))).toBe(true);
    expect(api.streams.live(GATE_ID).subscribers).toBe(1);
  });
});
