import { loadNativeAddon } from "../base/index.js";

/** Sends `data` to the socket at `address` (a path, or `@` and an abstract name) without waiting: 0, or the errno. */
export type SendDatagram = (address: string, data: Uint8Array) => number;

/** By the addon: Node has no datagrams of AF_UNIX. Undefined where the addon is not there. */
export function nativeSendDatagram(): SendDatagram | undefined {
  const { sendDatagram } = loadNativeAddon().functions;
  return typeof sendDatagram === "function" ? (sendDatagram as SendDatagram) : undefined;
}
