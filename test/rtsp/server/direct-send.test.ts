import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { DirectSender } from "../../../src/rtsp/server/direct-send.js";

const open: { destroy(): void }[] = [];

afterEach(() => {
  for (const one of open.splice(0)) one.destroy();
});

/** Both ends of a connection; the peer reads nothing until it is told to. */
async function connection(): Promise<{ socket: Socket; peer: Socket }> {
  const server = createServer({ pauseOnConnect: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const peer = connect((server.address() as AddressInfo).port, "127.0.0.1");
  peer.pause();
  const [socket] = (await once(server, "connection")) as [Socket];
  server.close();
  open.push(socket, peer);
  return { socket, peer };
}

async function read(peer: Socket, byteLength: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  peer.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
  });
  peer.resume();
  while (length < byteLength) await once(peer, "data");
  return Buffer.concat(chunks);
}

const numbered = (byteLength: number) =>
  Buffer.from(Uint8Array.from({ length: byteLength }, (_, at) => (at * 7) % 251));

describe("bytes that are sent past Node's stream", () => {
  it("reach the peer at once, and the stream holds none of them", async () => {
    const { socket, peer } = await connection();
    const bytes = numbered(5000);
    expect(new DirectSender(socket).send(bytes)).toBe(5000);
    expect(socket.writableLength).toBe(0);
    expect(await read(peer, 5000)).toEqual(bytes);
  });

  it("end where the socket is full; the stream sends the rest behind them", async () => {
    const { socket, peer } = await connection();
    const bytes = numbered(16 * 1024 * 1024);
    const sent = new DirectSender(socket).send(bytes);
    expect(sent).toBeGreaterThan(0);
    expect(sent).toBeLessThan(bytes.length);
    socket.write(bytes.subarray(sent));
    expect((await read(peer, bytes.length)).equals(bytes)).toBe(true);
  });

  it("wait behind those that the stream still holds", async () => {
    const { socket } = await connection();
    socket.write(Buffer.alloc(16 * 1024 * 1024));
    expect(socket.writableLength).toBeGreaterThan(0);
    expect(new DirectSender(socket).send(numbered(100))).toBe(0);
  });

  it("go to nobody once the socket is destroyed or ends, whoever has its descriptor then", async () => {
    const { socket } = await connection();
    const sender = new DirectSender(socket);
    socket.destroy();
    expect(sender.send(numbered(100))).toBe(0);
    const ending = await connection();
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
