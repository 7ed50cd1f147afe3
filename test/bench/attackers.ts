/** Entry of a process that attacks a recorder: `attackers.js udp|onvif|rtsp OPTION...`; says where it can be reached. */
import { createSocket } from "node:dgram";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { bombAnswer, XML_BOMBS } from "../support/camera/xml-bombs.js";
import {
  describeReply,
  interleaved,
  reply,
  rtpPacket,
  VIDEO_SDP,
} from "../support/rtsp/scripted-rtsp-server.js";

const GROUP = "239.255.255.250";
const DISCOVERY_PORT = 3702;
const DATAGRAM_BYTES = 1400;
const MEGABYTE = 1_000_000;
const SEND_EVERY_MS = 10;
const bombs = Object.values(XML_BOMBS);

/** Datagrams of XML bombs, from `sources` addresses in turn. */
async function floodDiscovery(bytesPerSecond: number, sources: number): Promise<void> {
  const sockets = await Promise.all(
    Array.from({ length: sources }, async (_, at) => {
      const socket = createSocket("udp4");
      await new Promise<void>((resolve) =>
        socket.bind(0, `127.0.${1 + (at >> 7)}.${1 + (at & 127)}`, resolve),
      );
      socket.setMulticastInterface("127.0.0.1");
      return socket;
    }),
  );
  const datagrams = bombs.map((bomb) => Buffer.from(bomb(DATAGRAM_BYTES)));
  let sent = 0;
  const startMs = performance.now();
  setInterval(() => {
    const due = ((performance.now() - startMs) / 1000) * (bytesPerSecond / DATAGRAM_BYTES);
    for (; sent < due; sent += 1)
      sockets[sent % sockets.length]?.send(datagrams[sent % datagrams.length] ?? "", DISCOVERY_PORT, GROUP);
  }, SEND_EVERY_MS);
  console.log("0");
}

/** A device that answers every question with a megabyte. */
function answerWithBombs(): void {
  const answers = bombs.map((bomb) => bomb(MEGABYTE));
  let asked = 0;
  const server = createHttpServer((request, response) => {
    request.resume();
    request.on("end", () => {
      asked += 1;
      const operation = /\/(\w+)"?$/.exec(request.headers["content-type"] ?? "")?.[1] ?? "";
      response.setHeader("Content-Type", "application/soap+xml; charset=utf-8");
      response.end(bombAnswer(operation, answers[asked % answers.length] ?? ""));
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
}

/** A camera that sends `perSecond` tiny packets, as far as they are taken. */
function floodPackets(perSecond: number): void {
  const batch = Buffer.concat(
    Array.from({ length: 0x10000 }, (_, sequence) =>
      interleaved(0, rtpPacket({ sequence, timestamp: sequence, payload: Buffer.from([0x41, 1, 2, 3]) })),
    ),
  );
  const server = createServer((socket) => serve(socket, (playing) => flood(playing, batch, perSecond)));
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
}

function flood(socket: Socket, batch: Buffer, perSecond: number): void {
  const packetBytes = batch.length / 0x10000;
  let sent = 0;
  const startMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startMs) / 1000) * perSecond);
    while (sent < due && socket.writableLength < MEGABYTE) {
      const from = sent % 0x10000;
      const count = Math.min(due - sent, 0x10000 - from);
      socket.write(batch.subarray(from * packetBytes, (from + count) * packetBytes));
      sent += count;
    }
  }, SEND_EVERY_MS);
  socket.on("close", () => clearInterval(timer));
}

function serve(socket: Socket, play: (socket: Socket) => void): void {
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    for (const head of chunk.toString("latin1").split("\r\n\r\n")) {
      const cseq = /CSeq: (\d+)/.exec(head)?.[1];
      const method = /^(\w+) rtsp/.exec(head)?.[1];
      if (cseq === undefined || method === undefined) continue;
      const answer =
        method === "DESCRIBE"
          ? describeReply(VIDEO_SDP)
          : reply(200, ["Session: 1;timeout=60", "Transport: RTP/AVP/TCP;unicast;interleaved=0-1"]);
      socket.write(answer.replace("$CSEQ", cseq));
      if (method === "PLAY") play(socket);
    }
  });
}

const [kind, first, second] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
if (kind === "udp") await floodDiscovery(Number(first), Number(second));
else if (kind === "onvif") answerWithBombs();
else if (kind === "rtsp") floodPackets(Number(first));
else process.exitCode = 2;
