import { connect, type NetConnectOpts, type Socket } from "node:net";

/** What is read lies here until it is copied, in the same turn. */
const READ_BUFFER = new Uint8Array(64 * 1024);
const READ_BYTES_MIN = 4 * 1024;

/**
 * A connection to the API. `readBytes`: how much is read at once from now on; Node's own reads 64 KB, whoever waits. What a hub that does
 * not read leaves waiting is four or five reads of each answer.
 */
export function doorSocket(path: string, readBytes: () => number): Socket {
  const buffer = (): Uint8Array => {
    const bytes = Math.min(READ_BUFFER.length, Math.max(READ_BYTES_MIN, Math.floor(readBytes())));
    return READ_BUFFER.subarray(0, bytes);
  };
  const options: NetConnectOpts & { readonly readableHighWaterMark: number } = {
    path,
    // The parser of HTTP takes it for its answers too: each holds one read.
    readableHighWaterMark: READ_BYTES_MIN,
    onread: { buffer, callback: (bytes, read) => socket.push(Buffer.from(read.subarray(0, bytes))) },
  };
  const socket: Socket = connect(options);
  return socket;
}
