import { closeSync, openSync } from "node:fs";
import path from "node:path";

/** sockaddr_un holds 108 bytes with the final zero (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

/** A socket's path that fits sockaddr_un, however long its directory. */
export interface SocketAddress {
  readonly path: string;
  /** Call when the path is no longer used to bind or connect. */
  close(): void;
}

/**
 * The address of `name` in `directory`. If it is too long, the path uses an open descriptor of the directory:
 * /proc/self/fd/N/name. Throws the system's error if the directory cannot be opened.
 */
export function socketAddress(directory: string, name: string): SocketAddress {
  const plain = path.join(directory, name);
  if (Buffer.byteLength(plain) <= SOCKET_PATH_BYTES_MAX) return { path: plain, close: () => undefined };
  const fd = openSync(directory, "r");
  return { path: `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}
