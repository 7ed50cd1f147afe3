import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import * as v from "valibot";
import { type Clock, errorText, type Guid, type Log, NvrdError, US_PER_MS } from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import { createBoxCertificate } from "../join/certificates.js";
import { certificateHash } from "../join/code.js";
import {
  ENROL_PATH,
  ENROLMENT_BYTES_MAX,
  enrolRequest,
  LEAVE_PATH,
  RENEW_PATH,
  renewRequest,
} from "../join/enrolment-messages.js";
import type { BoxList } from "./box-list.js";

const REQUEST_MS_MAX = 20_000;
const HEADER_BYTES_MAX = 8192;

type Reason = "token" | "known" | "full" | "stranger" | "request" | "fault";

const REFUSALS: Readonly<Record<Reason, readonly [status: number, message: string]>> = {
  token: [403, "the code was used, or is too old"],
  known: [409, "a recorder with this id belongs to this hub already"],
  full: [409, "this hub takes no more recorders"],
  stranger: [403, "this recorder does not belong to this hub"],
  request: [400, "the request cannot be read"],
  fault: [500, "the hub could not do it"],
};

export interface EnrolmentOptions {
  readonly authority: KeyAndCertificate;
  readonly boxes: BoxList;
  /** Takes the token of a code; undefined: there is none. The result gives it back. */
  readonly takeToken: (token: string) => Promise<(() => void) | undefined>;
  /** The box whose certificate a connection has shown; undefined: none that is admitted. */
  readonly boxOf: (socket: TLSSocket) => Promise<Guid | undefined>;
  readonly onJoined: (id: Guid) => void;
  readonly onRenewed: (id: Guid) => void;
  readonly onLeft: (id: Guid) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who joined, renewed or left, at the hub's port: HTTP/1.1 over TLS. Nothing here needs a login, but a token or a certificate. */
export class Enrolment {
  readonly #options: EnrolmentOptions;
  readonly #server: Server;

  constructor(options: EnrolmentOptions) {
    this.#options = options;
    this.#server = createServer(
      { maxHeaderSize: HEADER_BYTES_MAX, requestTimeout: REQUEST_MS_MAX, headersTimeout: REQUEST_MS_MAX },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.maxRequestsPerSocket = 1;
  }

  serve(socket: TLSSocket): void {
    this.#server.emit("connection", socket);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await bodyOf(request);
      const answer = body === undefined ? "request" : await this.#handle(request, body);
      if (typeof answer === "string") refuse(response, answer);
      else send(response, 200, answer);
    } catch (error) {
      const isBad = error instanceof NvrdError && error.code === "BAD_REQUEST";
      this.#options.log.warn({ reason: errorText(error) }, "a recorder could not join, renew or leave");
      refuse(response, isBad ? "request" : "fault");
    }
  }

  async #handle(request: IncomingMessage, body: unknown): Promise<object | Reason> {
    const { boxOf, onLeft, boxes } = this.#options;
    if (request.method !== "POST") return "request";
    if (request.url === ENROL_PATH) return await this.#enrol(body);
    const id = await boxOf(request.socket as TLSSocket);
    if (id === undefined) return "stranger";
    if (request.url === RENEW_PATH) return await this.#renew(id, body);
    if (request.url !== LEAVE_PATH) return "request";
    await boxes.remove(id);
    onLeft(id);
    return {};
  }

  async #enrol(body: unknown): Promise<object | Reason> {
    const { takeToken, boxes, clock, onJoined } = this.#options;
    const read = v.safeParse(enrolRequest, body);
    if (!read.success) return "request";
    const { Token, Id: id, Name: name, Request } = read.output;
    const giveBack = await takeToken(Token);
    if (giveBack === undefined) return "token";
    let isDone = false;
    try {
      if ((await boxes.find(id)) !== undefined) return "known";
      if (boxes.isFull) return "full";
      const certificate = await this.#certificate(id, Request);
      // The same box may have come with another token meanwhile.
      if (boxes.get(id) !== undefined) return "known";
      const nowUs = clock.nowUs();
      const certificates = [certificateHash(certificate)];
      await boxes.add({ id, name, version: "", addedUs: nowUs, seenUs: 0, certificates });
      isDone = true;
      onJoined(id);
      return { Certificate: certificate };
    } finally {
      if (!isDone) giveBack();
    }
  }

  async #renew(id: Guid, body: unknown): Promise<object | Reason> {
    const read = v.safeParse(renewRequest, body);
    if (!read.success) return "request";
    const certificate = await this.#certificate(id, read.output.Request);
    await this.#options.boxes.addCertificate(id, certificateHash(certificate));
    this.#options.onRenewed(id);
    return { Certificate: certificate };
  }

  async #certificate(boxId: Guid, request: string): Promise<string> {
    const { authority, clock } = this.#options;
    const nowMs = clock.nowUs() / US_PER_MS;
    return await createBoxCertificate(authority, { request: Buffer.from(request, "base64"), boxId, nowMs });
  }
}

/** Undefined: it is too long, or no JSON. Rejects with the connection's error. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ENROLMENT_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    // A body that is no JSON is answered as such.
    return undefined;
  }
}

function refuse(response: ServerResponse, reason: Reason): void {
  const [status, message] = REFUSALS[reason];
  send(response, status, { ErrorMessage: message, Reason: reason });
}

function send(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify(answer));
}
