import { createSocket, type Socket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import {
  GOP_PICTURES,
  h264Sdp,
  namesIn,
  PictureCamera,
  sliceNames,
} from "../../support/camera/picture-camera.js";
import {
  cameraAnswers,
  describeReply,
  keyFramePayload,
  keyFrames,
  reply,
  rtpPacket,
  type ScriptedAnswer,
  ScriptedRtspServer,
} from "../../support/rtsp/scripted-rtsp-server.js";
import { type HarnessOptions, makeSource, type SourceHarness } from "../../support/rtsp/source-harness.js";

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

function watch(url: string, options: Partial<HarnessOptions> = {}): SourceHarness {
  const harness = makeSource({ url, transport: "udp", ...options });
  cleanups.push(() => harness.source.stop());
  harness.source.start();
  return harness;
}

const clientPort = (server: ScriptedRtspServer): number =>
  Number(/client_port=(\d+)/.exec(server.find("SETUP")?.headers.get("transport") ?? "")?.[1]);

const packet = (index: number): Buffer =>
  rtpPacket({ sequence: index, timestamp: index * 3600, payload: keyFramePayload(index) });

/** Loses a picture's part now and then, and holds a packet back behind the two after it; always in the same way. */
class LossyNetwork {
  /** Slices that did not come whole, by name. */
  readonly lost = new Set<string>();
  readonly #send: (bytes: Buffer) => void;
  #seed = 7;
  #held: { readonly bytes: Buffer; behind: number } | undefined;

  constructor(send: (bytes: Buffer) => void) {
    this.#send = send;
  }

  loses(picture: number, part: number): boolean {
    // The stream's first key picture comes, and the end, so that all is over when it is there.
    if (picture === 0 || picture >= 140 || this.#random() > 0.02) return false;
    this.lost.add(`<${picture}.${Math.min(part, 2)}>`);
    return true;
  }

  carry(bytes: Buffer): void {
    if (this.#held === undefined && this.#random() < 0.1) {
      this.#held = { bytes, behind: 2 };
      return;
    }
    this.#send(bytes);
    if (this.#held === undefined) return;
    this.#held.behind -= 1;
    if (this.#held.behind > 0) return;
    this.#send(this.#held.bytes);
    this.#held = undefined;
  }

  #random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}

describe("UDP", () => {
  it("opens the path with a packet, puts packets back into sequence, and drops those from other addresses", async () => {
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

  it("that loses and reorders: frames are whole, or say what is missing", async () => {
    const pictures = 150;
    const media = await datagramSocket("127.0.0.1");
    const server = await camera({
      DESCRIBE: () => describeReply(h264Sdp()),
      SETUP: () =>
        reply(200, ["Session: 1", `Transport: RTP/AVP;unicast;server_port=${media.address().port}-9`]),
      PLAY: () => reply(200),
    });
    // How long a missing packet is waited for follows this clock: a slow machine loses none by itself.
    const clock = new SimulatedClock();
    const harness = watch(server.url, { clock });
    await harness.until(() => server.find("PLAY") !== undefined);
    const port = clientPort(server);
    const network = new LossyNetwork((bytes) => media.send(bytes, port, "127.0.0.1"));
    for (let index = 0, sequence = 1; index < pictures; index += 1) {
      const { packets, next } = PictureCamera.packets(index, sequence, {
        loses: (picture, part) => network.loses(picture, part),
      });
      sequence = next;
      for (const bytes of packets) network.carry(bytes);
      await clock.advanceSlowly(4000, 1000);
    }
    const last = () => namesIn(harness.frames.at(-1)?.bytes ?? Buffer.alloc(0))[0];
    await clock.advanceSlowly(10_000_000, 1000, () => last()?.startsWith("<14") === true);
    expect(last()).toMatch(/^<14/);
    expect(network.lost.size).toBeGreaterThan(5);
    expect(harness.frames.length).toBeGreaterThan(pictures / 2);
    for (const frame of harness.frames) {
      const names = namesIn(frame.bytes);
      const picture = Number(names[0]?.match(/\d+/)?.[0]);
      const key = picture - (picture % GOP_PICTURES);
      expect(names).toEqual(sliceNames(picture).filter((name) => !network.lost.has(name)));
      expect(frame.damaged || names.length === 3).toBe(true);
      expect(frame.undecodable).toBe(sliceNames(key).some((name) => network.lost.has(name)));
    }
  });

  it("packets that got lost are counted, and named within ten seconds; reordered ones are not", async () => {
    const media = await datagramSocket("127.0.0.1");
    const server = await camera({
      SETUP: () =>
        reply(200, ["Session: 1", `Transport: RTP/AVP;unicast;server_port=${media.address().port}-9`]),
      PLAY: () => reply(200),
    });
    const clock = new SimulatedClock();
    const harness = watch(server.url, { clock });
    await harness.until(() => server.find("PLAY") !== undefined);
    const send = async (from: number, seconds: number, isLost: (index: number) => boolean): Promise<void> => {
      for (let index = from; index < from + seconds * 10; index += 2) {
        for (const next of [index + 1, index])
          if (!isLost(next)) media.send(packet(next), clientPort(server), "127.0.0.1");
        await clock.advanceSlowly(200_000, 20_000);
      }
    };
    // The first that comes is where the numbers begin.
    media.send(packet(9), clientPort(server), "127.0.0.1");
    await send(10, 10, () => false);
    expect(harness.stream.losses.reported).toEqual([]);
    await send(110, 10, (index) => index === 121 || index === 122 || index === 140);
    expect(harness.stream.losses.reported).toEqual([{ id: "packets-lost", detail: "", count: 3 }]);
    await send(210, 70, () => false);
    expect(harness.stream.losses.reported).toEqual([]);
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
    const harness = watch(server.url, { timeouts: { firstFrameMs: 200 } });
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
