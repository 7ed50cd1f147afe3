import { connect } from "node:net";
import { type Clock, errorText, NvrdError } from "../base/index.js";
import { type FormatOrder, formatOrderLine, KEEPER_LINE_BYTES_MAX, readLabel } from "./keeper-protocol.js";

/** Longer than the keeper can take. */
const ANSWER_MS_MAX = 900_000;

/** Formats a disk; resolves with the label of the new file system. Rejects with NvrdError. */
export type FormatDisk = (order: FormatOrder) => Promise<string>;

/** A client of the disk keeper on a unix socket. */
export function keeperClient(socketPath: string, clock: Clock): FormatDisk {
  return (order) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(socketPath);
      let text = "";
      let problem: unknown = noKeeper(socketPath, "it closed the connection: it may be busy");
      const timer = clock.setTimeout(() => {
        problem = noKeeper(socketPath, `no answer came within ${ANSWER_MS_MAX / 60_000} minutes`);
        socket.destroy();
      }, ANSWER_MS_MAX);
      socket.setEncoding("utf8");
      socket.once("connect", () => socket.write(formatOrderLine(order)));
      socket.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > KEEPER_LINE_BYTES_MAX) socket.destroy();
        else if (text.includes("\n")) socket.end();
      });
      socket.once("error", (error) => {
        problem = noKeeper(socketPath, errorText(error));
      });
      socket.once("close", () => {
        timer.clear();
        if (!text.includes("\n")) return reject(problem);
        try {
          resolve(readLabel(text));
        } catch (error) {
          reject(error);
        }
      });
    });
}

function noKeeper(socketPath: string, reason: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the disk keeper does not answer at ${socketPath}: ${reason}`, {
    hint: "the Debian package creates it: systemctl status nvrd-disk-keeper.socket",
  });
}
