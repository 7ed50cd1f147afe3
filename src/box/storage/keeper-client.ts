import { type Clock, callLine } from "../../base/index.js";
import { type FormatOrder, formatOrderLine, KEEPER_LINE_BYTES_MAX, readLabel } from "./keeper-protocol.js";

/** Longer than the keeper can take. */
const ANSWER_MS_MAX = 900_000;

/** Formats a disk; resolves with the label of the new file system. Rejects with NvrdError. */
export type FormatDisk = (order: FormatOrder) => Promise<string>;

/** A client of the disk keeper on a unix socket. */
export function keeperClient(socketPath: string, clock: Clock): FormatDisk {
  return async (order) =>
    readLabel(
      await callLine({
        ...{ socketPath, clock, answerMsMax: ANSWER_MS_MAX, bytesMax: KEEPER_LINE_BYTES_MAX },
        line: formatOrderLine(order),
        name: "disk keeper",
        hint: "the Debian package creates it: systemctl status nvrd-disk-keeper.socket",
      }),
    );
}
