import { type Clock, callLine } from "../../base/index.js";
import { KEEPER_LINE_BYTES_MAX, type KeeperOrder, orderLine, requireDone } from "./keeper-protocol.js";

/** Longer than the keeper looks for machines with the same address. */
const ANSWER_MS_MAX = 60_000;

/**
 * The keeper serves one order after the other, and goes on with a trial for some seconds after its answer. Each order may come twice:
 * the second of a trial or of its end is refused, the others change nothing.
 */
const BUSY_MS_MAX = 30_000;

/** Has the network keeper carry out an order. Rejects with NvrdError. */
export type NetworkKeeperCall = (order: KeeperOrder) => Promise<void>;

/** A client of the network keeper on a unix socket. */
export function networkKeeperClient(socketPath: string, clock: Clock): NetworkKeeperCall {
  return async (order) =>
    requireDone(
      await callLine({
        ...{
          socketPath,
          clock,
          answerMsMax: ANSWER_MS_MAX,
          busyMsMax: BUSY_MS_MAX,
          bytesMax: KEEPER_LINE_BYTES_MAX,
        },
        line: orderLine(order),
        name: "network keeper",
        hint: "the Debian package and the image have it: systemctl status nvrd-network-keeper.socket",
      }),
    );
}
