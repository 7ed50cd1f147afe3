import { describe, expect, it } from "vitest";
import { SIZED_STALL_MS, SizedResponse } from "../../src/http/sized-response.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

/** A connection that takes as much as it has room for. */
class Socket {
  room = 0;
  tries = 0;
  closed = false;
  #offset = 0;
  #writable: (offset: number) => boolean = () => true;

  cork(run: () => void): void {
    run();
  }

  tryEnd(chunk: Uint8Array, totalBytes: number): [boolean, boolean] {
    this.tries += 1;
    const taken = Math.min(this.room, chunk.length);
    this.room -= taken;
    this.#offset += taken;
    return [taken === chunk.length, this.#offset === totalBytes];
  }

  getWriteOffset(): number {
    return this.#offset;
  }

  onWritable(handler: (offset: number) => boolean): void {
    this.#writable = handler;
  }

  close(): void {
    this.closed = true;
  }

  /** Room comes, with or without the library's word. */
  drain(bytes: number, isNotified = true): void {
    this.room += bytes;
    if (isNotified) this.#writable(this.#offset);
  }
}

function started(totalBytes: number, overTls = false) {
  const clock = new SimulatedClock();
  const socket = new Socket();
  let closed = 0;
  const onClose = () => {
    closed += 1;
  };
  const response = new SizedResponse({
    socket,
    writeHead: () => undefined,
    totalBytes,
    clock,
    overTls,
    onClose,
  });
  return { clock, socket, response, closes: () => closed };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("an answer of known length", () => {
  it("gives the socket what it did not take again, from where it stopped", async () => {
    const { socket, response, closes } = started(50_000);
    const written = response.write(Buffer.alloc(50_000));
    for (const bytes of [1, 20_000, 5, 29_994]) {
      await settle();
      socket.drain(bytes);
    }
    expect(await written).toBe(true);
    expect([response.isWhole, response.sentBytes, closes()]).toEqual([true, 50_000, 1]);
  });

  it("hands a large piece over whole, over TLS a record at a time", async () => {
    for (const [overTls, tries] of [
      [false, 2],
      [true, 26],
    ] as const) {
      const { socket, response } = started(411_904, overTls);
      socket.room = 411_904;
      expect(await response.write(Buffer.alloc(411_904))).toBe(true);
      expect([response.isWhole, socket.tries]).toEqual([true, tries]);
    }
  });

  it("tries a blocked socket again before the library's ten seconds are over", async () => {
    const { clock, socket, response } = started(50_000);
    void response.write(Buffer.alloc(50_000));
    await settle();
    const before = socket.tries;
    for (let second = 0; second < 9; second++) {
      clock.advance(1_000_000);
      await settle();
    }
    expect(socket.tries - before).toBeGreaterThanOrEqual(2);
    socket.drain(50_000, false);
    clock.advance(3_000_000);
    await settle();
    expect(response.isWhole).toBe(true);
  });

  it("is cut off when the client has taken nothing for a minute", async () => {
    const { clock, socket, response, closes } = started(50_000);
    const written = response.write(Buffer.alloc(50_000));
    for (let second = 0; second < SIZED_STALL_MS / 1000 + 5; second++) {
      await settle();
      clock.advance(1_000_000);
    }
    expect(await written).toBe(false);
    expect([socket.closed, closes(), response.isWhole]).toEqual([true, 1, false]);
  });

  it("puts small pieces together", async () => {
    const { socket, response } = started(1000);
    socket.room = 1000;
    for (let piece = 0; piece < 100; piece++) await response.write(Buffer.alloc(10));
    expect(socket.tries).toBe(0);
    await response.flush();
    expect([socket.tries, response.isWhole]).toEqual([1, true]);
  });
});
