import { connect, type Socket } from "node:net";

/** One way to hold a server: bytes for a connection, which is ended behind them. */
export interface Attack {
  readonly name: string;
  readonly port: number;
  readonly bytes: Buffer;
}

/** A request of HTTP that says how long its body is. */
export function attackRequest(head: string, body: string): Buffer {
  const length = Buffer.byteLength(body);
  return Buffer.from(
    `${head} HTTP/1.1\r\nHost: nvr\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
}

/** Several connections at once that repeat an attack, each from an address of its own below `network`; resolves when all have ended. */
export async function attack(
  { port, bytes }: Attack,
  { connections, times, network }: { connections: number; times: number; network: string },
): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      for (let round = 0; round < times; round += 1) await once(port, bytes, `${network}.${1 + at}`);
    }),
  );
}

/** Resolves when the connection has ended, whoever ended it. */
function once(port: number, bytes: Buffer, localAddress: string): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ port, host: "127.0.0.1", localAddress });
    // A reset is one way of the server to end it; `close` follows.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve());
    socket.resume();
    socket.end(bytes);
  });
}
