import { loadNativeAddon } from "../../base/index.js";

/** Sends `data` to the socket at `address` (a path, or `@` and an abstract name) without waiting: 0, or the errno. */
export type SendDatagram = (address: string, data: Uint8Array) => number;

/** Implemented by the addon, because Node does not support AF_UNIX datagrams. Undefined without the addon. */
export function nativeSendDatagram(): SendDatagram | undefined {
  const { sendDatagram } = loadNativeAddon().functions;
  return typeof sendDatagram === "function" ? (sendDatagram as SendDatagram) : undefined;
}
