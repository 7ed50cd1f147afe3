import { createSocket, type Socket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import {
  cameraAnswers,
  keyFramePayload,
  keyFrames,
  reply,
  rtpPacket,
  type ScriptedAnswer,
  ScriptedRtspServer,
} from "../support/scripted-rtsp-server.js";
import { makeSource, type SourceHarness } from "../support/source-harness.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function datagramSocket(address: string): Promise<Socket> {
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  cleanups.push(async () => {
    socket.close();
  });
  return socket;
}

async function camera(changes: Readonly<Record<string, ScriptedAnswer>>): Promise<ScriptedRtspServer> {
  const server = await new ScriptedRtspServer(cameraAnswers(changes)).start();
  cleanups.push(() => server.stop());
  return server;
}

function watch(url: string, timeouts = {}): SourceHarness {
  const harness = makeSource({ url, transport: "udp", timeouts });
  cleanups.push(() => harness.source.stop());
  harness.source.start();
  return harness;
}

const clientPort = (server: ScriptedRtspServer): number =>
  Number(/client_port=(\d+)/.exec(server.find("SETUP")?.headers.get("transport") ?? "")?.[1]);

const packet = (index: number): Buffer =>
  rtpPacket({ sequence: index, timestamp: index * 3600, payload: keyFramePayload(index) });

describe("UDP", () => {
  it("opens the way with a packet, puts packets back in sequence, and drops those of other addresses", async () => {
    const media = await datagramSocket("127.0.0.1");
    const stranger = await datagramSocket("127.0.0.2");
    let punched = false;
    media.on("message", () => {
      punched = true;
    });
    const server = await camera({
      SETUP: () =>
        reply(200, ["Session: 1", `Transport: RTP/AVP;unicast;server_port=${media.address().port}-9`]),
      PLAY: () => reply(200),
    });
    const harness = watch(server.url);
    await harness.until(() => server.find("PLAY") !== undefined && punched);
    expect(clientPort(server) % 2).toBe(0);
    stranger.send(packet(1), clientPort(server), "127.0.0.1");
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const index of [11, 13, 12, 14, 15]) media.send(packet(index), clientPort(server), "127.0.0.1");
    await harness.until(() => harness.frames.length >= 4);
    const shown = harness.frames.map((frame) => /frame \d+/.exec(frame.bytes.toString("latin1"))?.[0]);
    expect(shown.slice(0, 4)).toEqual(["frame 11", "frame 12", "frame 13", "frame 14"]);
  });

  it("no data over UDP: the next attempt takes TCP", async () => {
    const server = await camera({
      SETUP: (request) =>
        request.headers.get("transport")?.includes("TCP")
          ? reply(200, ["Session: 1", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"])
          : reply(200, ["Session: 1", "Transport: RTP/AVP;unicast;server_port=9-10"]),
      PLAY: (request) => {
        const overTcp = server.requests
          .filter((other) => other.method === "SETUP")
          .at(-1)
          ?.headers.get("transport");
        const frames = overTcp?.includes("TCP") ? keyFrames(1, 3) : Buffer.alloc(0);
        return request.method === "PLAY" ? Buffer.concat([Buffer.from(reply(200)), frames]) : undefined;
      },
    });
    const harness = watch(server.url, { firstFrameMs: 200 });
    await harness.until(() => harness.frames.length >= 2);
    expect(harness.source.attempts).toBe(2);
    expect(harness.source.transport).toBe("tcp");
  });

  it("461 to UDP: TCP on the same connection", async () => {
    const server = await camera({
      SETUP: (request) =>
        request.headers.get("transport")?.includes("TCP") ? reply(200, ["Session: 1"]) : reply(461),
    });
    const harness = watch(server.url);
    await harness.until(() => harness.frames.length >= 2);
    expect(server.connections).toBe(1);
  });
});
