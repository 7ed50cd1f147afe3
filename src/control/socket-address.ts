import { closeSync, openSync } from "node:fs";
import path from "node:path";

/** sockaddr_un takes 108 bytes with the final zero (unix(7)). */
const SOCKET_PATH_BYTES_MAX = 107;

/** A socket's path in a form that fits, whatever the length of its directory. */
export interface SocketAddress {
  readonly path: string;
  /** Needed no more: nobody binds to or connects through the path from now on. */
  close(): void;
}

/**
 * The address of `name` in `directory`. Where it is too long, the way goes through an open descriptor of the
 * directory: /proc/self/fd/N/name. Throws the system's error when the directory does not open.
 */
export function socketAddress(directory: string, name: string): SocketAddress {
  const plain = path.join(directory, name);
  if (Buffer.byteLength(plain) <= SOCKET_PATH_BYTES_MAX) return { path: plain, close: () => undefined };
  const fd = openSync(directory, "r");
  return { path: `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}
