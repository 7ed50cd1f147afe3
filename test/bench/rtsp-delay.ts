import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type PacedSource, pacedClockOf } from "../support/service/paced-source.js";

/**
 * Plays one stream of the paced source directly for `windowMs` and answers each frame's delay from sending to
 * arrival, in milliseconds. The least a viewer can have: no recorder stands between.
 */
export async function readDelays(source: PacedSource, stream: number, windowMs: number): Promise<number[]> {
  const socket = connect(source.port, "127.0.0.1");
  await once(socket, "connect");
  const url = source.url(stream);
  await ask(
    socket,
    `SETUP ${url}/trackID=0 RTSP/1.0\r\nCSeq: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n`,
  );
  socket.write(`PLAY ${url}/ RTSP/1.0\r\nCSeq: 2\r\n\r\n`);
  const delaysMs: number[] = [];
  socket.on("data", (chunk: Buffer) => {
    // A clock cut in two by the end of a read is left out: there are enough others.
    const clock = pacedClockOf(chunk);
    if (clock !== undefined) delaysMs.push(performance.timeOrigin + performance.now() - clock.sentUs / 1000);
  });
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  socket.destroy();
  return delaysMs;
}

async function ask(socket: Socket, request: string): Promise<void> {
  socket.write(request);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  if (!answer.toString("latin1").startsWith("RTSP/1.0 200"))
    throw new Error(`refused: ${answer.toString("latin1")}`);
  socket.resume();
}
