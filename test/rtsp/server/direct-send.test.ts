import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { DirectSender } from "../../../src/rtsp/message/direct-send.js";
import { readFrom, SocketPairs } from "../../support/rtsp/socket-pairs.js";

const pairs = new SocketPairs();

afterEach(() => pairs.destroy());

const numbered = (byteLength: number) =>
  Buffer.from(Uint8Array.from({ length: byteLength }, (_, at) => (at * 7) % 251));

describe("bytes that are sent past Node's stream", () => {
  it("reach the peer at once, and the stream holds none of them", async () => {
    const { socket, peer } = await pairs.connect();
    const bytes = numbered(5000);
    expect(new DirectSender(socket).send(bytes)).toBe(5000);
    expect(socket.writableLength).toBe(0);
    expect(await readFrom(peer, 5000)).toEqual(bytes);
  });

  it("end where the socket is full; the stream sends the rest behind them", async () => {
    const { socket, peer } = await pairs.connect();
    const bytes = numbered(16 * 1024 * 1024);
    const sent = new DirectSender(socket).send(bytes);
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(bytes.length);
    socket.write(bytes.subarray(sent));
    expect((await readFrom(peer, bytes.length)).equals(bytes)).toBe(true);
  });

  it("wait behind those that the stream still holds", async () => {
    const { socket } = await pairs.connect();
    socket.write(Buffer.alloc(16 * 1024 * 1024));
    expect(socket.writableLength).toBeGreaterThan(0);
    expect(new DirectSender(socket).send(numbered(100))).toBe(0);
  });

  it("go to nobody once the socket is destroyed or ends, whoever has its descriptor then", async () => {
    const { socket } = await pairs.connect();
    const sender = new DirectSender(socket);
    socket.destroy();
    expect(sender.send(numbered(100))).toBe(0);
    const ending = await pairs.connect();
    const late = new DirectSender(ending.socket);
    ending.socket.end();
    expect(late.send(numbered(100))).toBe(0);
  });

  it("are left to a stream that is no socket", () => {
    const stream = new PassThrough();
    expect(new DirectSender(stream).send(numbered(100))).toBe(0);
    expect(stream.readableLength).toBe(0);
  });
});
