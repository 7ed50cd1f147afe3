import { afterEach, describe, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { SLAB_BYTES_DEFAULT, SlabPool } from "../../../src/live/index.js";
import { NetworkDialer } from "../../../src/rtsp/client/socket/dialer.js";
import type { TransportKind } from "../../../src/rtsp/client/track-transport.js";
import { BackChannel, parseRtspUrl, RTSP_TIMEOUTS_DEFAULT } from "../../../src/rtsp/index.js";
import {
  cameraAnswers,
  describeReply,
  reply,
  type ScriptedAnswer,
  ScriptedRtspServer,
  VIDEO_SDP,
} from "../../support/rtsp/scripted-rtsp-server.js";
import { silentLog } from "../../support/site/site-samples.js";

const BACK_SDP = ["m=audio 0 RTP/AVP 0", "a=rtpmap:0 PCMU/8000", "a=control:trackID=2", "a=sendonly"];

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function camera(answers: Readonly<Record<string, ScriptedAnswer>> = {}) {
  const server = await new ScriptedRtspServer({
    ...cameraAnswers({ DESCRIBE: () => describeReply([...VIDEO_SDP, ...BACK_SDP]) }),
    SETUP: ({ headers }) => reply(200, ["Session: 4711", `Transport: ${headers.get("transport") ?? ""}`]),
    PLAY: () => reply(200, ["Session: 4711"]),
    TEARDOWN: () => reply(200, ["Session: 4711"]),
    ...answers,
  }).start();
  cleanups.push(() => server.stop());
  return server;
}

function channelTo(server: ScriptedRtspServer, transports: readonly TransportKind[] = ["tcp"]) {
  const failures: string[] = [];
  const channel = new BackChannel({
    ...{ url: parseRtspUrl(server.url), credentials: undefined, verifyCertificate: false },
    ...{ secureOnly: false, ipv4Only: false, redirectsAnywhere: false, digestOnly: false },
    ...{ dialer: new NetworkDialer(), clock: new SystemClock(), log: silentLog },
    ...{ timeouts: RTSP_TIMEOUTS_DEFAULT, transports },
    pool: new SlabPool({ slabBytes: SLAB_BYTES_DEFAULT, totalBytesMax: 16 * SLAB_BYTES_DEFAULT }),
    onFailure: ({ kind }) => failures.push(kind),
  });
  cleanups.push(() => channel.close());
  return { channel, failures };
}

const methods = ({ requests }: ScriptedRtspServer) => requests.map(({ method }) => method);

describe("a back channel", () => {
  it("is opened over the first transport that the camera takes", async () => {
    const server = await camera({
      SETUP: ({ headers }) => {
        const transport = headers.get("transport") ?? "";
        return transport.includes("TCP")
          ? reply(200, ["Session: 4711", `Transport: ${transport}`])
          : reply(461);
      },
    });
    const { channel } = channelTo(server, ["udp", "tcp"]);
    expect(await channel.open()).toEqual({ codec: expect.any(Number), clockRate: 8000, isAsSpoken: false });
    expect(channel.transport).toBe("tcp");
    const asked = server.requests.filter(({ method }) => /DESCRIBE|SETUP|PLAY/.test(method));
    for (const { headers } of asked) expect(headers.get("require")).toMatch(/backchannel$/);
    await channel.close();
    expect(methods(server).at(-1)).toBe("TEARDOWN");
    expect(channel.transport).toBeUndefined();
  });

  it("is not opened where the camera takes none of the transports", async () => {
    const { channel } = channelTo(await camera({ SETUP: () => reply(461) }), ["tcp", "udp"]);
    await expect(channel.open()).rejects.toMatchObject({
      ...{ kind: "transport", message: expect.stringMatching(/neither over TCP nor UDP/) },
    });
    expect(channel.transport).toBeUndefined();
  });

  it.each([
    ["the camera has none", { DESCRIBE: () => describeReply(VIDEO_SDP) }, "unsupported"],
    ["it refuses to describe one", { DESCRIBE: () => reply(551) }, "unsupported"],
    ["it refuses to set one up", { SETUP: () => reply(551) }, "unsupported"],
    ["it fails", { SETUP: () => reply(503) }, "busy"],
    ["it does not play", { PLAY: () => reply(503) }, "busy"],
  ] as const)("is not opened where %s, and nothing stays open", async (_name, answers, kind) => {
    const server = await camera(answers);
    const { channel, failures } = channelTo(server);
    await expect(channel.open()).rejects.toMatchObject({ kind });
    expect([channel.transport, failures]).toEqual([undefined, []]);
    if ("PLAY" in answers) await expect.poll(() => methods(server).at(-1)).toBe("TEARDOWN");
  });

  it("that ends by itself is reported once", async () => {
    const server = await camera();
    const { channel, failures } = channelTo(server);
    await channel.open();
    server.stop();
    await expect.poll(() => failures).toEqual(["closed"]);
    await channel.close();
    expect(failures).toEqual(["closed"]);
  });
});
