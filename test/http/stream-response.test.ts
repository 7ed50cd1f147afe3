import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLog } from "../../src/base/index.js";
import { type ChunkSocket, CORK_BYTES_MAX, StreamResponse } from "../../src/http/stream-response.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const log = createLog({ level: "silent" });

/** Behaves as the library does: takes everything, says false while it has a backlog. */
class FakeSocket implements ChunkSocket {
  readonly taken: Buffer[] = [];
  readonly corkBytes: number[] = [];
  backlog = false;
  closed = false;
  ended = false;
  emptyCorks = 0;
  #corked = 0;
  #writable: (offset: number) => boolean = () => true;

  cork(run: () => void): void {
    this.#corked = 0;
    run();
    if (this.#corked === 0) this.emptyCorks += 1;
    this.corkBytes.push(this.#corked);
  }

  write(chunk: Uint8Array): boolean {
    this.taken.push(Buffer.from(chunk));
    this.#corked += chunk.length + 12;
    return !this.backlog;
  }

  onWritable(handler: (offset: number) => boolean): void {
    this.#writable = handler;
  }

  drain(): void {
    this.backlog = false;
    this.#writable(0);
  }

  end(): void {
    this.ended = true;
  }

  close(): void {
    this.closed = true;
  }
}

function make(): { socket: FakeSocket; clock: SimulatedClock; stream: StreamResponse; heads: number[] } {
  const socket = new FakeSocket();
  const clock = new SimulatedClock();
  const heads: number[] = [];
  const onFault = (error: unknown): void => {
    throw error;
  };
  const stream = new StreamResponse({ socket, clock, log, writeHead: () => heads.push(1), onFault });
  return { socket, clock, stream, heads };
}

describe("StreamResponse", () => {
  it("never puts more into a cork than the library's cork buffer holds, and loses no byte", () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 50_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(pieces, fc.infiniteStream(fc.boolean()), (unit, backlogs) => {
        const { socket, stream } = make();
        socket.backlog = backlogs.next().value;
        let done = stream.send(unit);
        for (let round = 0; !done && round < 10_000; round++) {
          socket.drain();
          done = !stream.busy;
          socket.backlog = backlogs.next().value;
        }
        expect(Buffer.concat(socket.taken)).toEqual(Buffer.concat(unit));
        for (const bytes of socket.corkBytes) expect(bytes).toBeLessThan(16_384);
      }),
      { numRuns: 60 },
    );
    expect(CORK_BYTES_MAX).toBe(16_000);
  });

  it("writes the head once, with the first bytes", () => {
    const { stream, heads } = make();
    expect(heads).toEqual([]);
    stream.send([Buffer.from("a")]);
    stream.send([Buffer.from("b")]);
    expect(heads).toEqual([1]);
  });

  it("stops at a backlog, goes on when the socket is writable, and tells the drain", () => {
    const { socket, stream } = make();
    let drains = 0;
    stream.onDrain = () => {
      drains += 1;
    };
    socket.backlog = true;
    expect(stream.send([Buffer.alloc(40_000)])).toBe(false);
    expect(socket.taken).toHaveLength(1);
    expect(() => stream.send([])).toThrow();
    socket.drain();
    expect(Buffer.concat(socket.taken)).toHaveLength(40_000);
    expect(drains).toBe(1);
  });

  it("flushes the library's last slice when nothing more is to be sent", () => {
    const { socket, stream } = make();
    stream.send([Buffer.from("a")]);
    socket.drain();
    expect(socket.emptyCorks).toBe(1);
  });

  it("closes a client that takes nothing for the stall time, not one that takes a little", () => {
    const { socket, clock, stream } = make();
    let closes = 0;
    stream.onClose(() => {
      closes += 1;
    });
    socket.backlog = true;
    stream.send([Buffer.alloc(200_000)]);
    clock.advance(16_000_000);
    socket.drain();
    socket.backlog = true;
    stream.send([Buffer.alloc(200_000)]);
    clock.advance(18_000_000);
    expect(socket.closed).toBe(false);
    clock.advance(4_000_000);
    expect(socket.closed).toBe(true);
    expect(closes).toBe(1);
    expect(clock.timers).toBe(0);
  });

  it("tries again by itself: a client that takes a little is sent on, though the library does not say so", () => {
    const { socket, clock, stream } = make();
    let drains = 0;
    stream.onDrain = () => {
      drains += 1;
    };
    socket.backlog = true;
    const unit = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
    stream.send([unit]);
    for (let second = 0; second < 60 && drains === 0; second++) {
      // Every fifth second the library gets rid of its backlog, and of the next try's as well.
      socket.backlog = second % 5 !== 0;
      clock.advance(1_000_000);
    }
    expect([socket.closed, drains]).toEqual([false, 1]);
    expect(Buffer.concat(socket.taken).equals(unit)).toBe(true);
  });

  it("tries again with a little only, so that what the library holds for a client that takes nothing stays small", () => {
    const { socket, clock, stream } = make();
    socket.backlog = true;
    stream.send([Buffer.alloc(200_000)]);
    const first = Buffer.concat(socket.taken).length;
    const corks = socket.corkBytes.length;
    clock.advance(19_900_000);
    expect(socket.corkBytes.length - corks).toBe(6);
    expect(Buffer.concat(socket.taken).length - first).toBeLessThanOrEqual(6 * 256);
    clock.advance(200_000);
    expect(socket.closed).toBe(true);
  });

  it("sends small units on without the library's word, and closes a client that takes none of them", () => {
    for (const takes of [true, false]) {
      const { socket, clock, stream } = make();
      stream.onDrain = () => {
        socket.backlog = !takes;
        stream.send([Buffer.alloc(100)]);
        socket.backlog = true;
        stream.send([Buffer.alloc(100)]);
      };
      socket.backlog = true;
      stream.send([Buffer.alloc(100)]);
      if (!takes) stream.onDrain = () => void stream.send([Buffer.alloc(100)]);
      for (let second = 0; second < 30; second++) clock.advance(1_000_000);
      expect([takes, socket.closed]).toEqual([takes, !takes]);
      expect(socket.taken.length).toBeLessThan(30);
    }
  });

  it("ends in good order when idle and by closing when a unit is under way", () => {
    const idle = make();
    idle.stream.end();
    expect([idle.socket.ended, idle.socket.closed]).toEqual([true, false]);
    const busy = make();
    busy.socket.backlog = true;
    busy.stream.send([Buffer.alloc(40_000)]);
    busy.stream.end();
    expect([busy.socket.ended, busy.socket.closed]).toEqual([false, true]);
  });
});
