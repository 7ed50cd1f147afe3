import { get } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { Codec } from "../../../src/live/codec/codec.js";
import { changeGuards, rights } from "../../support/api/api-fakes.js";
import { liveFrame } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { until } from "../../support/base/until.js";
import { RecorderAtHubs } from "../../support/fleet/recorder-at-hubs.js";
import { pictures } from "../../support/hls/hls-frames.js";
import { MultipartParser, type VideoPart } from "../../support/http/multipart-reader.js";
import type { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { OutletHarness } from "../../support/rtsp/rtsp-outlet.js";

const GATE: Guid = "22222222-0000-4000-8000-0000000000a1";

let place: RecorderAtHubs;
const sockets: LiveSocketClient[] = [];
const videos: Video[] = [];

beforeEach(async () => {
  place = await RecorderAtHubs.start(3, { [GATE]: "Gate" });
  gate().setState({ state: "active" });
});

afterEach(async () => {
  for (const viewer of [...sockets.splice(0), ...videos.splice(0)]) viewer.close();
  await place.stop();
});

const gate = () => place.recorder.streams.live(GATE);
const publish = (frames: Parameters<ReturnType<typeof gate>["publish"]>[0][]): void => {
  for (const frame of frames) gate().publish(frame);
};

function hubAt(at: number): ApiHarness {
  const hub = place.hubs[at % place.hubs.length];
  if (hub === undefined) throw new Error(`there is no hub ${at}`);
  return hub;
}

/** A client of /video. */
class Video {
  readonly parts: VideoPart[] = [];
  status = 0;
  hasEnded = false;
  /** Of a refusal. */
  text = "";
  readonly #request;

  constructor(hub: ApiHarness, { channel = `channelid=${GATE}`, login = ROOT_QUERY } = {}) {
    const parser = new MultipartParser();
    this.#request = get({ port: hub.port, path: `/video?${login}&${channel}` }, (response) => {
      this.status = response.statusCode ?? 0;
      response.on("data", (chunk: Buffer) => {
        if (this.status === 200) this.parts.push(...parser.push(chunk));
        else this.text += chunk.toString();
      });
      response.on("close", () => {
        this.hasEnded = true;
      });
    });
    this.#request.on("error", () => {
      this.hasEnded = true;
    });
    videos.push(this);
  }

  get bodies(): readonly Buffer[] {
    return this.parts.map(({ body }) => body);
  }

  close(): void {
    this.#request.destroy();
  }
}

async function window(hub: ApiHarness): Promise<LiveSocketClient> {
  const socket = new LiveSocketClient(hub.port, { path: `/api/live?${ROOT_QUERY}` });
  sockets.push(socket);
  await socket.greet(["avc1"]);
  socket.say({ type: "watch", id: 1, channel: GATE, tile: { width: 1280, height: 720 } });
  return socket;
}

const figures = () => place.recorder.server.figures();

/** Plays the camera over RTSP, as soon as it is known what it sends. */
async function played(outlet: OutletHarness): Promise<RawRtspClient> {
  await outlet.start();
  const client = await outlet.connect();
  const url = `rtsp://127.0.0.1:${outlet.port}/rtsp?channelid=${GATE}&${ROOT_QUERY}`;
  const described = client.request("DESCRIBE", url);
  let at = -1000;
  await until(
    "it is described",
    () => {
      publish(pictures(1, { from: at }));
      at += 1;
      return client.responses.length > 0;
    },
    { seen: figures },
  );
  const { status, body } = await described;
  if (status !== 200) throw new Error(`DESCRIBE: ${status} ${body}`);
  await outlet.play(client, url);
  return client;
}

/** How the newest packet of pictures ends. */
function newest({ packets }: RawRtspClient): Buffer {
  return packets.findLast(({ channel }) => channel === 0)?.packet.subarray(-100) ?? Buffer.alloc(0);
}

/** Pictures of one group, until each viewer has the newest. */
async function publishUntilAllHave({ from = 0, count = 1, bytes = 60 }) {
  const made = pictures(count, { from, bytes, gop: 1000 });
  const newest = made.at(-1)?.copyBytes() ?? Buffer.alloc(0);
  publish(made);
  await until(
    "all have the newest",
    () =>
      videos.every((each) => each.parts.at(-1)?.body.equals(newest) === true) &&
      sockets.every((each) => each.pictures().at(-1)?.sequence === from + count),
    {
      seen: () => [
        ...[JSON.stringify(figures()), place.opened],
        videos.map(({ status, parts, hasEnded }) => `${status} ${parts.length} ${hasEnded}`).join(),
        sockets.map((each) => [each.pictures().at(-1)?.sequence, each.of("stream").length].join()).join(" "),
      ],
    },
  );
}

describe("viewers of a hub", () => {
  it("over HLS, RTSP and /video are one stream on the link", async () => {
    const hls = [0, 1, 2].map((at) => hubAt(at).get(`/hls?channelid=${GATE}`));
    const outlets = [0, 1, 2].map((at) => new OutletHarness(hubAt(at), new SystemClock()));
    new Video(hubAt(2));
    try {
      const rtsp = await Promise.all(outlets.map((outlet) => played(outlet)));
      let sent = 0;
      // Seven seconds of pictures: players begin with a segment.
      for (let still = 0, opened = 0; still < 3 || sent < 175; sent += 25) {
        publish(pictures(25, { from: sent, bytes: 1000 }));
        await until("it has come", () => (videos[0]?.parts.length ?? 0) > sent / 25, {
          seen: () => [videos[0]?.status, videos[0]?.parts.length, figures()],
        });
        still = opened === place.opened && figures().liveSocket.clients === 1 ? still + 1 : 0;
        opened = place.opened;
      }
      const names = await Promise.all((await Promise.all(hls)).map(async (answer) => await answer.text()));
      const before = place.bytes;
      // As many as a link takes at once.
      for (let part = 0; part < 10; part += 1, sent += 10) {
        const frames = pictures(10, { from: sent, bytes: 4000, gop: 1000 });
        const end = frames.at(-1)?.copyBytes().subarray(-100) ?? Buffer.alloc(1);
        publish(frames);
        await until("the RTSP viewers have it", () => rtsp.every((client) => newest(client).equals(end)), {
          seen: () => rtsp.map(({ packets, responses }) => [packets.length, responses.at(-1)?.status]),
        });
      }

      const made = 100 * 4000;
      expect(place.bytes - before).toBeGreaterThan(made);
      expect(place.bytes - before).toBeLessThan(1.1 * made);
      for (const [at, name] of names.entries()) {
        const list = await (
          await fetch(hubAt(at).url(`/hls/${name.replace(".m3u8", "")}/media.m3u8`))
        ).text();
        expect(list).toContain("s0.m4s");
      }
    } finally {
      for (const outlet of outlets) await outlet.stop();
    }
  });

  it("get over HLS what is recorded, and other codecs, below the recorder's own address alone", async () => {
    const answer = await hubAt(0).get(`/hls?channelid=${GATE}&mode=archive&starttime=21.11.2026%2009:00:00`);

    expect(answer.status).toBe(501);
    expect(await answer.text()).toContain(`/boxes/${place.box.id}/hls?channelid=${GATE}`);
  });
});

describe("viewers of a hub's /video", () => {
  it("are one stream on the link together with those of its live socket, at all hubs", async () => {
    for (let at = 0; at < 40; at += 1) new Video(hubAt(at));
    for (let at = 0; at < 10; at += 1) await window(hubAt(at));
    await until("the camera is read", () => gate().atOnce > 0, { seen: figures });
    let sent = 0;
    // Until no hub asks for another stream: who plays other codecs comes to the others once it is known what the camera sends.
    for (let still = 0, opened = 0; still < 3; sent += 1) {
      await publishUntilAllHave({ from: sent });
      still = opened === place.opened && figures().liveSocket.clients === 1 ? still + 1 : 0;
      opened = place.opened;
    }
    const before = place.bytes;

    for (let part = 0; part < 5; part += 1, sent += 10)
      await publishUntilAllHave({ from: sent, count: 10, bytes: 4000 });

    const made = 50 * 4000;
    expect(place.bytes - before).toBeGreaterThan(made);
    expect(place.bytes - before).toBeLessThan(1.1 * made);
    expect(figures().openStreams).toBe(1);
  });

  it("get what the camera sent, from the newest key frame on", async () => {
    const first = new Video(hubAt(0));
    await until("the camera is read", () => gate().atOnce === 1, { seen: figures });
    publish(pictures(1, { from: -1 }));
    await until("it has begun", () => first.bodies.length === 1, { seen: () => first.text });
    const made = pictures(30, { gop: 25 });
    const sent = made.map((frame) => frame.copyBytes());
    publish(made);
    await until("it has all", () => first.bodies.length === 31, {
      seen: () => first.bodies.map((each) => each.length),
    });

    const late = new Video(hubAt(0), { channel: "channel=gate" });
    await until("it has the newest group", () => late.bodies.length === 5, {
      seen: () => late.bodies.length,
    });

    expect(first.bodies.slice(1)).toEqual(sent);
    expect(late.bodies).toEqual(sent.slice(25));
    expect(first.parts.slice(1, 3).map(({ contentType }) => contentType)).toEqual([
      "video, h264, I-frame",
      "video, h264, P-frame",
    ]);
  });

  it("leave the camera with the last one", async () => {
    const viewer = new Video(hubAt(0));
    await until("the camera is read", () => gate().atOnce === 1, { seen: figures });
    publish(pictures(1));
    await until("it has a picture", () => viewer.bodies.length === 1, { seen: () => viewer.text });

    viewer.close();

    await until("nobody watches", () => gate().atOnce === 0, { seen: figures });
  });

  it("get a codec that windows do not show from the recorder as it is", async () => {
    const viewer = new Video(hubAt(0));
    await until("the camera is read", () => gate().atOnce >= 1, { seen: figures });
    const sent: Buffer[] = [];
    await until(
      "pictures come",
      () => {
        const frame = liveFrame(sent.length, { codec: Codec.MJPEG, key: true });
        sent.push(frame.copyBytes());
        publish([frame]);
        return viewer.bodies.length > 3;
      },
      { seen: () => [viewer.text, figures()] },
    );

    expect(viewer.parts[0]?.contentType).toBe("image/jpeg");
    expect(sent.map((each) => each.toString("latin1"))).toContain(viewer.bodies[0]?.toString("latin1"));
  });

  it("are refused what their rights do not allow, and end with them", async () => {
    const { site } = hubAt(0);
    const allowed = { realtimeChannels: "all", archiveChannels: [], rights: rights() } as const;
    await changeGuards(site, { ...allowed, rights: rights({ CanReceiveMainStream: false }) });
    const refused = new Video(hubAt(0), { login: "login=guard" });
    await until("it is refused", () => refused.status === 403, { seen: () => refused.text });

    await changeGuards(site, allowed);
    const [guard, root] = [new Video(hubAt(0), { login: "login=guard" }), new Video(hubAt(0))];
    await until("the camera is read", () => gate().atOnce >= 1, { seen: figures });
    publish(pictures(1));
    await until("both have a picture", () => [guard, root].every((each) => each.bodies.length === 1), {
      seen: () => [guard.text, root.text],
    });
    await changeGuards(site, { realtimeChannels: [], archiveChannels: [] });

    await until("it ends", () => guard.hasEnded, { seen: () => guard.text });
    publish(pictures(1, { from: 1, gop: 1000 }));
    await until("the other goes on", () => root.bodies.length === 2, { seen: () => root.bodies.length });
  });

  it("are told when the camera does not answer", async () => {
    gate().setState({ state: "lost", reason: "no route to it" });

    const viewer = new Video(hubAt(0));

    await until("it is told", () => viewer.status === 503 && viewer.hasEnded, { seen: () => viewer.text });
    expect(viewer.text).toContain("no route to it");
  });
});
