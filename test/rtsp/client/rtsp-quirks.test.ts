import { afterEach, describe, expect, it } from "vitest";
import {
  cameraAnswers,
  describeReply,
  interleaved,
  keyFramePayload,
  keyFrames,
  reply,
  rtpPacket,
  type ScriptedAnswer,
  ScriptedRtspServer,
  VIDEO_SDP,
} from "../../support/rtsp/scripted-rtsp-server.js";
import {
  type HarnessOptions,
  lastReason,
  makeSource,
  type SourceHarness,
} from "../../support/rtsp/source-harness.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function camera(changes: Readonly<Record<string, ScriptedAnswer>> = {}): Promise<ScriptedRtspServer> {
  const server = await new ScriptedRtspServer(cameraAnswers(changes)).start();
  cleanups.push(() => server.stop());
  return server;
}

function watch(server: ScriptedRtspServer, options: Partial<HarnessOptions> = {}): SourceHarness {
  const harness = makeSource({ url: server.url, ...options });
  cleanups.push(() => harness.source.stop());
  harness.source.start();
  return harness;
}

/** The frames' slices: which of `keyFrames` they are. */
const shown = (harness: SourceHarness): string[] =>
  harness.frames.map((frame) => /frame \d+/.exec(frame.bytes.toString("latin1"))?.[0] ?? "none");

const setUpUri = async (server: ScriptedRtspServer): Promise<string | undefined> => {
  const harness = watch(server);
  await harness.until(() => harness.frames.length >= 1);
  return server.find("SETUP")?.uri;
};

describe("quirks of cameras' messages", () => {
  it("plain camera: frames, states, and TEARDOWN on stop", async () => {
    const server = await camera();
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
    await harness.source.stop();
    expect(shown(harness).slice(0, 2)).toEqual(["frame 1", "frame 2"]);
    expect(harness.frames[0]).toMatchObject({ key: true, damaged: false, discontinuity: true });
    expect(harness.frames[1]?.discontinuity).toBe(false);
    expect(harness.states.map((state) => state.state)).toEqual(["connecting", "active", "idle"]);
    expect(server.methods()).toEqual(["OPTIONS", "DESCRIBE", "SETUP", "PLAY", "TEARDOWN"]);
    expect(server.find("PLAY")?.headers.get("session")).toBe("4711");
  });

  it("scheme-less Content-Base", async () => {
    const server = await camera({
      DESCRIBE: () => describeReply(VIDEO_SDP, [`Content-Base: 127.0.0.1:${server.port}/live/`]),
    });
    expect(await setUpUri(server)).toBe(`rtsp://127.0.0.1:${server.port}/live/trackID=1`);
  });

  it("relative Content-Base", async () => {
    const server = await camera({ DESCRIBE: () => describeReply(VIDEO_SDP, ["Content-Base: /live/sub/"]) });
    expect(await setUpUri(server)).toBe(`rtsp://127.0.0.1:${server.port}/live/sub/trackID=1`);
  });

  it("missing SDP origin", async () => {
    const server = await camera({ DESCRIBE: () => describeReply(VIDEO_SDP.slice(4)) });
    expect(await setUpUri(server)).toBe(`${server.url}/trackID=1`);
  });

  it("control before other attributes", async () => {
    const [media = "", map = "", format = "", control = ""] = VIDEO_SDP.slice(4);
    const server = await camera({
      DESCRIBE: () => describeReply([...VIDEO_SDP.slice(0, 4), media, control, format, map]),
    });
    expect(await setUpUri(server)).toBe(`${server.url}/trackID=1`);
  });

  it("trailing semicolon in RTP-Info", async () => {
    const info = "RTP-Info: url=rtsp://x/trackID=1;seq=1;rtptime=3600;";
    const server = await camera({
      PLAY: () => Buffer.concat([Buffer.from(reply(200, [info])), keyFrames(1, 3)]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
  });

  it("space in SSRC: data of that SSRC is accepted at once", async () => {
    const server = await camera({
      SETUP: () =>
        reply(200, ["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1;ssrc=  8BE1F4C;mode=play"]),
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3, 0, 0x8be1f4c)]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
    expect(shown(harness)[0]).toBe("frame 1");
  });

  it("channels other than those requested", async () => {
    const server = await camera({
      SETUP: () => reply(200, ["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=8-9"]),
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3, 8)]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
  });

  it("packets of another session on a channel of nobody, before and beside its own: its own alone", async () => {
    const stale = (index: number) => keyFrames(900 + index, 900 + index, 8, 0xdead);
    const server = await camera({
      PLAY: () =>
        Buffer.concat([
          ...[Buffer.from(reply(200)), stale(1), keyFrames(1, 2), stale(2), keyFrames(3, 4), stale(3)],
          ...[keyFrames(5, 6)],
        ]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 5);
    // The first of all packets cannot be told from one of a camera that sends on a channel of its own choice.
    expect(shown(harness).filter((name) => name !== "frame 901")).toEqual(
      expect.arrayContaining(["frame 1", "frame 2", "frame 3", "frame 4"]),
    );
    expect(shown(harness)).not.toContain("frame 902");
  });

  it("response to SETUP without a Transport header", async () => {
    const server = await camera({ SETUP: () => reply(200, ["Session: 1"]) });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
  });

  it("PLAY refuses the range: sent again without one", async () => {
    const server = await camera({
      PLAY: (request) =>
        request.headers.has("range") ? reply(457) : Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3)]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
  });

  it("OPTIONS is refused", async () => {
    const server = await camera({ OPTIONS: () => reply(501) });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
  });

  it("responses without CSeq", async () => {
    const server = await camera({
      OPTIONS: () => "RTSP/1.0 200 OK\r\n\r\n",
      SETUP: () => "RTSP/1.0 200\r\nSession: 1\r\n\r\n",
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
  });

  it("data of a dead session on a new connection, whose numbers are no reason to drop it", async () => {
    const dead = keyFrames(900, 903, 0, 0xdead);
    const server = await camera({
      DESCRIBE: () => Buffer.concat([dead, Buffer.from(describeReply(VIDEO_SDP))]),
      SETUP: () =>
        Buffer.concat([
          dead,
          Buffer.from(reply(200, ["Session: 1", "Transport: RTP/AVP/TCP;interleaved=0-1;ssrc=11223344"])),
        ]),
      PLAY: () => {
        const stray = interleaved(
          0,
          rtpPacket({ sequence: 904, timestamp: 9, payload: keyFramePayload(904), ssrc: 0xdead }),
        );
        return Buffer.concat([stray, Buffer.from(reply(200)), keyFrames(1, 2), stray, keyFrames(3, 4)]);
      },
    });
    const harness = watch(server);
    const own = () => shown(harness).filter((text) => text !== "frame 904");
    await harness.until(() => own().length >= 3);
    expect(own().slice(0, 3)).toEqual(["frame 1", "frame 2", "frame 3"]);
    expect(harness.frames.every((frame) => !frame.damaged)).toBe(true);
  });

  it("garbage between frames", async () => {
    const garbage = Buffer.from("$\u0000zz\u0001\u0002 noise $$ noise", "latin1");
    const server = await camera({
      PLAY: () =>
        Buffer.concat([
          Buffer.from(reply(200)),
          keyFrames(1, 2),
          garbage,
          keyFrames(3, 4),
          garbage,
          keyFrames(5, 6),
        ]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 5);
    expect(shown(harness).slice(0, 5)).toEqual(["frame 1", "frame 2", "frame 3", "frame 4", "frame 5"]);
  });

  it("requests of the server within the stream", async () => {
    const ask = (method: string) => Buffer.from(`${method} rtsp://x RTSP/1.0\r\nCSeq: 77\r\n\r\n`);
    let answers = "";
    const server = await camera({
      PLAY: (_request, socket) => {
        socket.on("data", (chunk) => {
          answers += chunk.toString("latin1");
        });
        return Buffer.concat([
          Buffer.from(reply(200)),
          keyFrames(1, 1),
          ask("OPTIONS"),
          ask("ANNOUNCE"),
          keyFrames(2, 3),
        ]);
      },
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2 && answers.includes("501"));
    expect(answers).toContain("RTSP/1.0 200 OK\r\nCSeq: 77");
    expect(answers).toContain("RTSP/1.0 501 Not Implemented\r\nCSeq: 77");
  });

  it("audio that is refused: video only", async () => {
    const sound = ["m=audio 0 RTP/AVP 0", "a=control:trackID=2"];
    const server = await camera({
      DESCRIBE: () => describeReply([...VIDEO_SDP, ...sound]),
      SETUP: (request) => (request.uri.endsWith("2") ? reply(500) : reply(200, ["Session: 1"])),
    });
    const harness = watch(server, { wantAudio: true });
    await harness.until(() => harness.frames.length >= 2);
  });

  it("both tracks on one channel", async () => {
    const sound = (index: number): Buffer => {
      const packet = rtpPacket({
        sequence: index,
        timestamp: index * 160,
        payload: Buffer.alloc(160, index),
        ssrc: 5,
      });
      packet[1] = 0;
      return interleaved(0, packet);
    };
    const server = await camera({
      DESCRIBE: () => describeReply([...VIDEO_SDP, "m=audio 0 RTP/AVP 0", "a=control:trackID=2"]),
      SETUP: () => reply(200, ["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]),
      PLAY: () =>
        Buffer.concat([
          Buffer.from(reply(200)),
          keyFrames(1, 2),
          sound(1),
          keyFrames(3, 3),
          sound(2),
          keyFrames(4, 5),
        ]),
    });
    const harness = watch(server, { wantAudio: true });
    await harness.until(() => harness.frames.length >= 6);
    expect(harness.frames.filter((frame) => frame.isAudio).map((frame) => frame.bytes[0])).toEqual([1, 2]);
    expect(harness.frames.filter((frame) => !frame.isAudio).length).toBeGreaterThanOrEqual(4);
    expect(harness.frames.some((frame) => frame.damaged)).toBe(false);
  });

  it("no supported codec: the reason names it", async () => {
    const server = await camera({
      DESCRIBE: () => describeReply(["m=video 0 RTP/AVP 96", "a=rtpmap:96 VP8/90000"]),
    });
    const harness = watch(server);
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toContain("video VP8");
  });
});

describe("lengths and numbers of messages that contradict themselves", () => {
  const body = `${VIDEO_SDP.join("\r\n")}\r\n`;
  const described = (length: number | undefined, text = body) =>
    reply(200, [
      "Content-Type: application/sdp",
      ...(length === undefined ? [] : [`Content-Length: ${length}`]),
    ]) + text;

  for (const [what, length] of [
    ["no Content-Length", undefined],
    ["a Content-Length of 0", 0],
    ["a Content-Length too small", body.length - 60],
    ["a Content-Length too small by half a line", body.length - 10],
    ["a Content-Length too big", body.length + 100],
  ] as const)
    it(`${what}: the description is read to its end`, async () => {
      const server = await camera({ DESCRIBE: () => described(length) });
      const harness = watch(server);
      await harness.until(() => harness.frames.length >= 1);
      expect(server.find("SETUP")?.uri).toBe(`${server.url}/trackID=1`);
    });

  it("two Content-Lengths", async () => {
    const twice = described(body.length).replace("\r\n\r\n", "\r\nContent-Length: 20\r\n\r\n");
    const server = await camera({ DESCRIBE: () => twice });
    expect(await setUpUri(server)).toBe(`${server.url}/trackID=1`);
  });

  it("a CSeq that never counts", async () => {
    const answers = cameraAnswers({});
    const counted =
      (answer: ScriptedAnswer | undefined): ScriptedAnswer =>
      (request, socket) => {
        const given = answer?.(request, socket);
        return given === undefined
          ? undefined
          : Buffer.from(Buffer.from(given).toString("latin1").replace("$CSEQ", "1"), "latin1");
      };
    const server = await camera(
      Object.fromEntries(Object.entries(answers).map(([method, answer]) => [method, counted(answer)])),
    );
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
    expect(shown(harness)[0]).toBe("frame 1");
  });
});

describe("descriptions that contradict the camera", () => {
  const uriOf = (server: ScriptedRtspServer, path: string) => `rtsp://127.0.0.1:${server.port}${path}`;
  /** Knows one URL and answers 404 to all others. */
  const knowing =
    (path: string): ScriptedAnswer =>
    (request) =>
      request.uri.endsWith(path)
        ? reply(200, ["Session: 4711;timeout=60", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"])
        : reply(404);

  it("Content-Base with its scheme twice", async () => {
    const server = await camera({
      DESCRIBE: () =>
        describeReply(VIDEO_SDP, [`Content-Base: rtsp://rtsp://127.0.0.1:${server.port}/live/`]),
    });
    expect(await setUpUri(server)).toBe(uriOf(server, "/live/trackID=1"));
  });

  it("Content-Base of another path than the one that the camera knows", async () => {
    const server = await camera({
      DESCRIBE: () => describeReply(VIDEO_SDP, ["Content-Base: rtsp://192.0.2.9:1554/other/"]),
      SETUP: knowing("/live/trackID=1"),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 1);
    expect(server.find("PLAY")?.uri).toBe(server.url);
  });

  it("a first video that is refused: the next one", async () => {
    const second = VIDEO_SDP.slice(4).map((line) => line.replace("trackID=1", "trackID=2"));
    const server = await camera({
      DESCRIBE: () => describeReply([...VIDEO_SDP, ...second]),
      SETUP: knowing("trackID=2"),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 1);
    expect(shown(harness)[0]).toBe("frame 1");
  });

  const setUpAs =
    (channels: string): ScriptedAnswer =>
    () =>
      reply(200, ["Session: 4711;timeout=60", `Transport: RTP/AVP/TCP;unicast;interleaved=${channels}`]);

  it("packets on another channel than agreed", async () => {
    const server = await camera({
      SETUP: setUpAs("0-1"),
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3, 6)]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
    expect(shown(harness)[0]).toBe("frame 1");
  });

  it("channels of RTP and RTCP swapped", async () => {
    const report = Buffer.from("80c8000611223344e8c1d2a000000000000000640000000100000064", "hex");
    const server = await camera({
      SETUP: setUpAs("1-0"),
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), interleaved(1, report), keyFrames(1, 3, 0)]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
    expect(shown(harness)[0]).toBe("frame 1");
  });

  it("another payload type than announced", async () => {
    const server = await camera({
      DESCRIBE: () => describeReply(VIDEO_SDP.map((line) => line.replaceAll("96", "99"))),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 2);
    expect(shown(harness).slice(0, 2)).toEqual(["frame 1", "frame 2"]);
  });
});
