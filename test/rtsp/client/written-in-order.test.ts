import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { NetworkSocket } from "../../../src/rtsp/client/socket/network-socket.js";

const PIECE_BYTES = 40_000;
/** More than the kernel holds for a peer that does not read. */
const PIECES = 400;

/** A connection to a peer that reads nothing until it is resumed. */
async function connected() {
  const server = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const accepted: Promise<Socket[]> = once(server, "connection");
  let socket: NetworkSocket | undefined;
  await new Promise<void>((resolve) => {
    const events = {
      connected: resolve,
      target: () => Buffer.alloc(4096),
      received: () => true,
      closed: () => undefined,
    };
    socket = new NetworkSocket({ host: "127.0.0.1", port, secure: false, verifyCertificate: false }, events);
  });
  const [peer] = await accepted;
  if (socket === undefined || peer === undefined) throw new Error("not connected");
  return { socket, peer, server };
}

it("all that is written arrives in its order, whether the kernel takes all, a part or nothing of a piece", async () => {
  const { socket, peer, server } = await connected();
  const sent = createHash("sha256");
  for (let at = 0; at < PIECES; at += 1) {
    const piece = Buffer.alloc(PIECE_BYTES, at % 251);
    piece.writeUInt32BE(at, 0);
    sent.update(piece);
    socket.write(piece);
  }
  // The kernel did not take all: what follows has to wait for the stream.
  expect(socket.unsentBytes).toBeGreaterThan(0);
  const arrived = createHash("sha256");
  let bytes = 0;
  peer.on("data", (data: Buffer) => {
    arrived.update(data);
    bytes += data.length;
  });
  peer.resume();
  await expect.poll(() => bytes).toBe(PIECES * PIECE_BYTES);
  expect(arrived.digest("hex")).toBe(sent.digest("hex"));
  socket.destroy();
  peer.destroy();
  server.close();
});

it("what is written while the peer reads leaves nothing behind in the stream", async () => {
  const { socket, peer, server } = await connected();
  const arrived = once(peer, "data");
  peer.resume();
  socket.write(Buffer.from("report"));
  expect(socket.unsentBytes).toBe(0);
  expect(`${(await arrived)[0]}`).toBe("report");
  socket.destroy();
  peer.destroy();
  server.close();
});
