import { createSocket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "../../../src/base/index.js";
import { SlabPool } from "../../../src/live/index.js";
import {
  FRAME_UNITS,
  ReadAllowance,
  ReadBudget,
  TURN_UNITS,
  UNITS_PER_SECOND,
} from "../../../src/rtsp/client/read-allowance.js";
import { RtspConnection } from "../../../src/rtsp/client/rtsp-connection.js";
import { NetworkDialer } from "../../../src/rtsp/client/socket/dialer.js";
import { STRANGERS_PER_SECOND_MAX, UdpTransport } from "../../../src/rtsp/client/track-transport.js";
import { FIRST_WAIT_MS } from "../../../src/rtsp/rtp/reorder-buffer.js";
import { ManualClock } from "../../support/base/manual-clock.js";
import { FloodingCamera } from "../../support/rtsp/flooding-camera.js";
import { interleaved, rtpPacket } from "../../support/rtsp/scripted-rtsp-server.js";

const open: RtspConnection[] = [];
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A connection to a camera that sends `next`, and the sequence numbers of what came of it. */
async function connected(next: () => Buffer | undefined, options: { atOnce: boolean; cost?: () => void }) {
  const clock = new ManualClock();
  const pool = new SlabPool({ slabBytes: 256 * 1024, totalBytesMax: 4 * 1024 * 1024 });
  const camera = new FloodingCamera(next);
  const connection = new RtspConnection({
    endpoint: { host: "192.0.2.1", port: 554, secure: false, verifyCertificate: false },
    dialer: camera,
    pool,
    clock,
    userAgent: "test",
    onFailure: (failure) => {
      throw failure;
    },
  });
  open.push(connection);
  const seen = { count: 0, inOrder: true, inTurn: 0, inTurnMax: 0 };
  connection.addReceiver(0, {
    receive: (buffer, start) => {
      seen.inOrder &&= buffer.readUInt16BE(start + 2) === seen.count % 0x10000;
      seen.count += 1;
      seen.inTurn += 1;
      seen.inTurnMax = Math.max(seen.inTurnMax, seen.inTurn);
      options.cost?.();
    },
  });
  await connection.connect(1000);
  connection.setAtOnce(options.atOnce);
  /** Some turns of the event loop, in `ms` of the clock. */
  const pass = async (ms: number, turns: number): Promise<void> => {
    for (let index = 0; index < turns; index += 1) {
      clock.advance(ms / turns);
      if (!options.atOnce && index % 20 === 0) connection.beginRead();
      seen.inTurn = 0;
      await turn();
      connection.endRead();
    }
  };
  return { connection, camera, clock, seen, pass };
}

function packets(payload: number, countMax = Number.POSITIVE_INFINITY) {
  let sequence = 0;
  return () => {
    if (sequence >= countMax) return undefined;
    const packet = rtpPacket({
      sequence: sequence % 0x10000,
      timestamp: 1,
      payload: Buffer.alloc(payload, 1),
    });
    sequence += 1;
    return interleaved(0, packet);
  };
}

describe.each([
  ["somebody watches", true],
  ["it is read by the tick", false],
])("a camera that sends tiny packets without end, while %s", (_how, atOnce) => {
  it("has a bounded share of each turn and each second, and loses nothing", async () => {
    const { camera, seen, pass } = await connected(packets(4), { atOnce });
    await pass(1000, 100);
    expect(seen.inTurnMax).toBeLessThanOrEqual(2 * TURN_UNITS);
    await pass(4000, 400);
    expect(seen.count).toBeGreaterThan(UNITS_PER_SECOND);
    expect(seen.count).toBeLessThanOrEqual(6.1 * UNITS_PER_SECOND);
    expect(seen.inOrder).toBe(true);
    // What was read and not dealt with is less than a slab: the rest is the camera's to keep.
    expect(camera.sent - seen.count * 20).toBeLessThan(256 * 1024);
  });

  it("is dealt with whole when it ends", async () => {
    const { seen, pass } = await connected(packets(4, 120_000), { atOnce });
    await pass(4000, 400);
    expect([seen.count, seen.inOrder]).toEqual([120_000, true]);
  });

  it("has a bounded part of the time, whatever its packets cost", async () => {
    let spentMs = 0;
    const clocks: ManualClock[] = [];
    const cost = (): void => {
      clocks[0]?.advance(0.1);
      spentMs += 0.1;
    };
    const { clock, pass } = await connected(packets(4), { atOnce, cost });
    clocks.push(clock);
    // What it had at once is a second's.
    await pass(2000, 100);
    spentMs = 0;
    const beforeUs = clock.monotonicUs();
    await pass(4000, 400);
    expect(spentMs / ((clock.monotonicUs() - beforeUs) / 1000)).toBeLessThan(0.6);
  });
});

it("a camera of 100 Mbit/s is never held", async () => {
  let due = 0;
  const all = packets(1380);
  const next = () => {
    if (due <= 0) return undefined;
    due -= 1;
    return all();
  };
  const { connection, seen, pass } = await connected(next, { atOnce: false });
  for (let tick = 0; tick < 50; tick += 1) {
    due += 1800;
    connection.allowance.spend(6 * FRAME_UNITS);
    await pass(200, 5);
    expect(seen.count).toBe((tick + 1) * 1800);
  }
  expect(seen.inOrder).toBe(true);
});

it("over UDP, strangers take nothing of a camera's allowance, and the kernel keeps a flood of them out", async () => {
  const clock = new ManualClock();
  const allowance = new ReadAllowance(clock);
  const sockets = await Promise.all(
    ["127.0.0.1", "127.0.0.2"].map(async (address) => {
      const socket = createSocket("udp4");
      await new Promise<void>((resolve) => socket.bind(0, address, resolve));
      return socket;
    }),
  );
  const [camera, stranger] = sockets;
  const transport = await UdpTransport.open({
    dialer: new NetworkDialer(),
    clock,
    log: createLog({ level: "silent" }),
    remoteAddress: "127.0.0.1",
    allowance,
    onFailure: (failure) => {
      throw failure;
    },
  });
  const port = Number(/client_port=(\d+)/.exec(transport.request)?.[1]);
  const seen: number[] = [];
  const rtp = {
    receive: (buffer: Buffer, start: number) => {
      seen.push(buffer.readUInt16BE(start + 2));
    },
  };
  transport.accept(undefined, { rtp, rtcp: { receive: () => undefined } });
  const send = async (socket: typeof camera, sequence: number): Promise<void> => {
    const packet = rtpPacket({ sequence, timestamp: 1, payload: Buffer.alloc(4) });
    await new Promise((resolve) => socket?.send(packet, port, "127.0.0.1", resolve));
  };
  const sent: number[] = [];
  for (let sequence = 0; sequence < 60; sequence += 1) {
    await send(camera, sequence);
    sent.push(sequence);
    for (let index = 0; index < 100; index += 1) await send(stranger, index);
    for (let index = 0; index < 5; index += 1) await turn();
  }
  for (let index = 0; index < 50; index += 1) await turn();
  expect(seen).toEqual(sent);
  expect(transport.foreignPackets).toBeGreaterThan(STRANGERS_PER_SECOND_MAX);
  expect(transport.foreignPackets).toBeLessThan(3 * STRANGERS_PER_SECOND_MAX);
  allowance.beginTurn();
  allowance.spend(UNITS_PER_SECOND - 2 * sent.length);
  expect(allowance.endTurn()).toBe(0);
  transport.close();
  for (const socket of sockets) socket.close();
});

it("over UDP, what comes while the allowance is used up is left to the kernel", async () => {
  const clock = new ManualClock();
  const allowance = new ReadAllowance(clock);
  const sender = createSocket("udp4");
  await new Promise<void>((resolve) => sender.bind(0, "127.0.0.1", resolve));
  const transport = await UdpTransport.open({
    dialer: new NetworkDialer(),
    clock,
    log: createLog({ level: "silent" }),
    remoteAddress: "127.0.0.1",
    allowance,
    onFailure: (failure) => {
      throw failure;
    },
  });
  const port = Number(/client_port=(\d+)/.exec(transport.request)?.[1]);
  let received = 0;
  const rtp = {
    receive: () => {
      received += 1;
    },
  };
  transport.accept(undefined, { rtp, rtcp: { receive: () => undefined } });
  const send = async (sequence: number): Promise<void> => {
    const packet = rtpPacket({ sequence, timestamp: 1, payload: Buffer.alloc(4) });
    await new Promise((resolve) => sender.send(packet, port, "127.0.0.1", resolve));
    for (let index = 0; index < 20; index += 1) await turn();
  };
  await send(1);
  // The first of all waits for one that it may have overtaken.
  clock.advance(FIRST_WAIT_MS);
  expect(received).toBe(1);
  allowance.spend(2 * UNITS_PER_SECOND);
  await send(2);
  for (let sequence = 3; sequence < 10; sequence += 1) await send(sequence);
  expect(received).toBe(2);
  clock.advance(2000);
  for (let index = 0; index < 20; index += 1) await turn();
  await send(10);
  // What the kernel had kept, too.
  expect(received).toBe(10);
  transport.close();
  sender.close();
});

describe("the allowance of a camera", () => {
  it("is less while others flood too, so that all of them leave time for the rest", () => {
    const clock = new ManualClock();
    const budget = new ReadBudget(clock);
    const floods = Array.from({ length: 12 }, () => ({
      allowance: new ReadAllowance(clock, budget),
      restsUntilUs: 0,
    }));
    const quiet = new ReadAllowance(clock, budget);
    let busyMs = 0;
    let rests = 0;
    let quietAtUs = 0;
    const seconds = 30;
    while (clock.monotonicUs() < seconds * 1_000_000) {
      for (const flood of floods) {
        if (clock.monotonicUs() < flood.restsUntilUs) continue;
        flood.allowance.beginTurn();
        flood.allowance.spend(TURN_UNITS);
        clock.advance(4);
        busyMs += 4;
        flood.restsUntilUs = clock.monotonicUs() + flood.allowance.endTurn() * 1000;
      }
      if (clock.monotonicUs() >= quietAtUs) {
        quietAtUs = clock.monotonicUs() + 200_000;
        quiet.beginTurn();
        quiet.spend(300);
        clock.advance(1);
        if (quiet.endTurn() > 0) rests += 1;
      }
      clock.advance(1);
    }
    expect(busyMs / (seconds * 1000)).toBeLessThan(0.65);
    expect(rests).toBe(0);
  });

  it("reports a flood at once, and then each minute", () => {
    const clock = new ManualClock();
    const lines: string[] = [];
    const log = createLog({ level: "warn", destination: { write: (line: string) => lines.push(line) } });
    const allowance = new ReadAllowance(clock);
    for (let second = 0; second < 130; second += 1) {
      allowance.beginTurn();
      allowance.spend(3 * UNITS_PER_SECOND);
      allowance.endTurn();
      allowance.logFlood(clock.monotonicUs(), log);
      clock.advance(1000);
    }
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain("slowed down");
  });

  it("does not hold a stop of the whole machine against it", () => {
    const clock = new ManualClock();
    const allowance = new ReadAllowance(clock);
    allowance.beginTurn();
    clock.advance(60_000);
    expect(allowance.endTurn()).toBe(0);
  });
});
