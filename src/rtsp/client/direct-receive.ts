import type { Socket as DatagramSocket } from "node:dgram";
import type { Socket } from "node:net";
import { loadNativeAddon } from "../../base/index.js";

/** Moves what the kernel has for socket `fd` into `target`: its byte length, 0 at the end, NOTHING_NOW, less on error. */
type Receive = (fd: number, target: Uint8Array) => number;

/** Answer of `directReader` while there is nothing to read. */
export const NOTHING_NOW = -1;

const { receive } = loadNativeAddon().functions;

/**
 * Reads a stopped socket without the event loop; undefined without the addon. Starting and stopping a socket each
 * tick instead costs a wake-up of its own per socket (libuv leaves it registered, and the next packet of the camera
 * makes epoll say so), two epoll_ctl and the stream's own work: 16 streams then took 80 wake-ups a second more.
 */
export const directReader: Receive | undefined =
  typeof receive === "function" ? (receive as Receive) : undefined;

/** Of a connected socket: what Node does not document, but has had since `onread` came (Node 12). */
export interface SocketInternals {
  readonly fd: number;
  /** Memory for the event loop's next read. Node keeps its address alone: its owner must keep it alive. */
  useUserBuffer(target: Uint8Array): void;
}

/** Undefined where Node does not have them, and once the socket is closed: then sockets are started and stopped. */
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
