import { afterEach, describe, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { SLAB_BYTES_DEFAULT, SlabPool } from "../../../src/live/index.js";
import type { DialogueOptions } from "../../../src/rtsp/client/rtsp-dialogue.js";
import { NetworkDialer } from "../../../src/rtsp/client/socket/dialer.js";
import {
  BackChannel,
  parseRtspUrl,
  RTSP_TIMEOUTS_DEFAULT,
  RtspReplay,
  type RtspTimeouts,
} from "../../../src/rtsp/index.js";
import {
  cameraAnswers,
  describeReply,
  reply,
  type ScriptedAnswer,
  type ScriptedReply,
  ScriptedRtspServer,
  VIDEO_SDP,
} from "../../support/rtsp/scripted-rtsp-server.js";
import { makeSource } from "../../support/rtsp/source-harness.js";
import { silentLog } from "../../support/site/site-samples.js";

const BACK_SDP = [
  ...VIDEO_SDP,
  "m=audio 0 RTP/AVP 0",
  "a=rtpmap:0 PCMU/8000",
  "a=control:trackID=2",
  "a=sendonly",
];
/** Of a camera that says nothing; a busy machine may need long to answer. */
const SILENCE_MS = 1000;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** What a camera does at a URL that it does not know. */
type Manner = (socket: { destroy(): void }) => ScriptedReply;

const MANNERS: Readonly<Record<string, Manner>> = {
  "answers 404": () => reply(404),
  "hangs up": (socket) => {
    socket.destroy();
    return undefined;
  },
  "says nothing": () => undefined,
};

/** Names another path and host in its Content-Base, and knows the one that it is asked for alone. */
async function camera(at: Manner): Promise<ScriptedRtspServer> {
  const answers = cameraAnswers({
    DESCRIBE: () => describeReply(BACK_SDP, ["Content-Base: rtsp://192.0.2.9:1554/other/"]),
  });
  const knowing =
    (method: string): ScriptedAnswer =>
    (request, socket) => {
      if (!/:\d+\/live(?:\/trackID=\d)?$/.test(request.uri)) return at(socket);
      if (method === "PLAY") return answers.PLAY?.(request, socket);
      const transport = request.headers.get("transport") ?? "";
      return reply(200, ["Session: 4711;timeout=60", `Transport: ${transport}`]);
    };
  const server = await new ScriptedRtspServer({
    ...answers,
    SETUP: knowing("SETUP"),
    PLAY: knowing("PLAY"),
  }).start();
  cleanups.push(() => server.stop());
  return server;
}

function timeoutsFor(at: Manner): RtspTimeouts {
  return at === MANNERS["says nothing"]
    ? { ...RTSP_TIMEOUTS_DEFAULT, responseMs: SILENCE_MS }
    : RTSP_TIMEOUTS_DEFAULT;
}

function optionsFor(server: ScriptedRtspServer, timeouts: RtspTimeouts): DialogueOptions {
  return {
    ...{ url: parseRtspUrl(server.url), credentials: undefined, verifyCertificate: false },
    ...{ secureOnly: false, ipv4Only: false, redirectsAnywhere: false, digestOnly: false },
    ...{ dialer: new NetworkDialer(), clock: new SystemClock(), log: silentLog, timeouts },
    pool: new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: 16 * SLAB_BYTES_DEFAULT }),
    onFailure: () => undefined,
  };
}

/** Each opens a session, and resolves when the camera plays. */
const CLIENTS: Readonly<
  Record<string, (server: ScriptedRtspServer, timeouts: RtspTimeouts) => Promise<unknown>>
> = {
  "a live session": async (server, timeouts) => {
    const harness = makeSource({ url: server.url, timeouts });
    cleanups.push(() => harness.source.stop());
    harness.source.start();
    await harness.until(() => harness.frames.length >= 1);
    expect(harness.states.map(({ state }) => state)).toEqual(["connecting", "active"]);
  },
  "a replay": (server, timeouts) => {
    const replay = new RtspReplay({
      ...optionsFor(server, timeouts),
      ...{ fromUs: 0, toUs: 60_000_000, wantAudio: false, bytesPerSecondMax: Number.POSITIVE_INFINITY },
      ...{ stallMs: 10_000, signal: new AbortController().signal },
    });
    cleanups.push(() => replay.close());
    return replay.open();
  },
  "a back channel": (server, timeouts) => {
    const channel = new BackChannel({ ...optionsFor(server, timeouts), transports: ["tcp"] });
    cleanups.push(() => channel.close());
    return channel.open();
  },
};

describe.each(Object.entries(CLIENTS))(
  "%s with a camera that contradicts itself about its URL",
  (_name, open) => {
    it.each(Object.entries(MANNERS))(
      "and %s at a wrong one is opened by another reading",
      async (_how, at) => {
        const server = await camera(at);
        await open(server, timeoutsFor(at));
        expect(server.requests.find(({ method }) => method === "PLAY")?.uri).toBe(server.url);
      },
    );
  },
);

it.each(["a replay", "a back channel"])(
  "%s tries each reading once where the camera hangs up at all of them",
  async (name) => {
    const hangUp = MANNERS["hangs up"] ?? expect.fail();
    const server = await camera(hangUp);
    server.answer("SETUP", (_request, socket) => hangUp(socket));
    await expect(CLIENTS[name]?.(server, timeoutsFor(hangUp))).rejects.toThrow("closed the connection");
    const asked = server.requests.filter(({ method }) => method === "SETUP").map(({ uri }) => uri);
    expect(asked).toHaveLength(4);
    expect(new Set(asked).size).toBe(4);
  },
);
