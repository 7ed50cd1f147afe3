import type { Duplex } from "node:stream";
import { type Clock, setTimeLimit } from "../../base/index.js";
import { ChunkRemover, type HttpHead, HttpHeadReader, isChunked } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import { type HttpAnswer, messagePart, tooLong } from "./http-body.js";
import { networkFailure } from "./network-failure.js";

/** How long the rest of a message is waited for when all that was announced has come, in milliseconds. */
const QUIET_MS = 1000;

export interface PlainCall {
  readonly socket: Duplex;
  /** Head and body of the request. */
  readonly request: Buffer;
  readonly bytesMax: number;
  readonly place: string;
  readonly clock: Clock;
}

/**
 * One request on a connection of its own, and its answer as a patient reader takes it: lines of the head that are none are passed
 * over, and where the head contradicts itself or the body, the message says where it ends. Rejects with CameraFailure. The caller
 * bounds the time, and destroys the socket.
 */
export function exchangePlainly({ socket, request, bytesMax, place, clock }: PlainCall): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const heads = new HttpHeadReader();
    const chunks = new ChunkRemover();
    let head: HttpHead | undefined;
    let body = Buffer.alloc(0);
    let quiet: ReturnType<typeof setTimeLimit> | undefined;
    const ended = (): void => {
      quiet?.clear();
      if (head === undefined) reject(notHttp(place));
      else resolve(answerOf(head, body));
    };
    const take = (piece: Buffer): void => {
      quiet?.clear();
      const read = head === undefined ? heads.take(piece) : { head, body: piece };
      if (read === undefined) return;
      if (read === "not-http") {
        reject(notHttp(place));
        return;
      }
      head = read.head;
      const count = isChunked(head) ? chunks.remove(read.body) : read.body.length;
      body = Buffer.concat([body, read.body.subarray(0, count)]);
      if (body.length > bytesMax) reject(tooLong(place, bytesMax));
      else if (messagePart(body) === "whole") ended();
      else if (hasAll(head, body, chunks.isOver)) quiet = setTimeLimit(clock, ended, QUIET_MS);
    };
    socket.on("data", take);
    socket.on("end", ended);
    socket.on("close", ended);
    socket.on("error", (error) => (head === undefined ? reject(networkFailure(error, place)) : ended()));
    socket.write(request);
  });
}

/** Whether as much has come as was announced. */
function hasAll(head: HttpHead, body: Buffer, isOver: boolean): boolean {
  const length = head.headers.get("content-length")?.[0];
  return isChunked(head) ? isOver : length !== undefined && body.length >= Number(length);
}

function answerOf({ status, headers }: HttpHead, body: Buffer): HttpAnswer {
  return {
    status,
    header: (name) => headers.get(name)?.[0] ?? "",
    challenges: headers.get("www-authenticate") ?? [],
    body,
  };
}

function notHttp(place: string): CameraFailure {
  return new CameraFailure("not-onvif", `${place} does not speak HTTP: check the port`);
}
