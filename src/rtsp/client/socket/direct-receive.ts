import type { Socket as DatagramSocket } from "node:dgram";
import type { Socket } from "node:net";
import { loadNativeAddon } from "../../../base/index.js";

/**
 * Reads from socket `fd` into `target`. Returns the number of bytes, 0 at the end of the stream, NOTHING_NOW, or less
 * on error.
 */
type Receive = (fd: number, target: Uint8Array) => number;

/** Result of `directReader` while there is nothing to read. */
export const NOTHING_NOW = -1;

const { receive } = loadNativeAddon().functions;

/**
 * Reads a stopped socket without the event loop; undefined without the addon. Starting and stopping a socket on each
 * tick instead costs one more wake-up per socket (libuv leaves it registered, and the camera's next packet wakes
 * epoll), two epoll_ctl calls and the stream's own work: 80 more wake-ups a second with 16 streams.
 */
export const directReader: Receive | undefined =
  typeof receive === "function" ? (receive as Receive) : undefined;

/** Undocumented members of a connected socket, present since `onread` (Node 12). */
export interface SocketInternals {
  readonly fd: number;
  /** Memory for the event loop's next read. Node keeps only its address: the caller must keep it alive. */
  useUserBuffer(target: Uint8Array): void;
}

/** Undefined where Node lacks them, and once the socket is closed: then sockets are started and stopped instead. */
export function socketInternals(socket: Socket): SocketInternals | undefined {
  const { _handle: handle } = socket as unknown as { readonly _handle?: Partial<SocketInternals> | null };
  if (typeof handle?.useUserBuffer !== "function") return undefined;
  return typeof handle.fd === "number" && handle.fd >= 0 ? (handle as SocketInternals) : undefined;
}

/** Of a datagram socket: what Node has had under a symbol since version 10, and does not document. */
interface DatagramHandle {
  recvStart(): number;
  recvStop(): number;
}

/** Stops and starts receiving; without those insides, and once it is closed, nothing happens. */
export function setReceiving(socket: DatagramSocket, on: boolean): void {
  const symbol = Object.getOwnPropertySymbols(socket).find((own) => own.description === "state symbol");
  if (symbol === undefined) return;
  const state = (socket as unknown as Record<symbol, { readonly handle?: Partial<DatagramHandle> | null }>)[
    symbol
  ];
  if (on) state?.handle?.recvStart?.();
  else state?.handle?.recvStop?.();
}
