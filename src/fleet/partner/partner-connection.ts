import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import { connect, type TLSSocket } from "node:tls";
import { type Clock, errorText, NvrdError, setTimeLimit } from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import { certificateHash } from "../join/code.js";

/** From the first packet to the end of the handshake, at one address. */
const CONNECT_MS_MAX = 3000;
const SESSION_MEGABYTES_MAX = 4;
/** What may be on the way of one answer. */
const WINDOW_BYTES = 1024 * 1024;

/** Where a box is, what it shows there, and what this one shows. Plain values, for any thread. */
export interface PartnerPlace {
  readonly hosts: readonly string[];
  readonly port: number;
  /** SHA-256 of its certificate, as codes have it. */
  readonly certificate: string;
  readonly own: KeyAndCertificate;
}

/** Why nothing was reached. `foreign`: what answers there is another machine. */
export type PlaceProblem = "unreachable" | "foreign";

export class PlaceError extends NvrdError {
  readonly problem: PlaceProblem;

  constructor(problem: PlaceProblem, message: string, cause?: unknown) {
    super("NOT_AVAILABLE", message, { hint: "", ...(cause === undefined ? {} : { cause }) });
    this.problem = problem;
  }
}

export interface ReachedPartner {
  readonly socket: TLSSocket;
  /** Of the hosts, the one that answered. */
  readonly host: string;
}

/**
 * Connects to a box at the first of its addresses where it answers, and nobody else: its certificate is looked at before anything is
 * said. Rejects with PlaceError.
 */
export async function reachPartner(
  place: PartnerPlace,
  clock: Clock,
  protocol: "h2" | "http/1.1",
): Promise<ReachedPartner> {
  let failure = new PlaceError("unreachable", "the other recorder has no address");
  for (const host of place.hosts) {
    try {
      return { socket: await reachAt(host, place, clock, protocol), host };
    } catch (error) {
      if (!(error instanceof PlaceError)) throw error;
      if (failure.problem !== "foreign" || error.problem === "foreign") failure = error;
    }
  }
  throw failure;
}

async function reachAt(
  host: string,
  { port, certificate, own }: PartnerPlace,
  clock: Clock,
  protocol: string,
): Promise<TLSSocket> {
  // Who it is follows from the hash alone: neither names, nor times, nor authorities count.
  const socket = connect({
    ...{ host, port, key: own.key, cert: own.certificate, rejectUnauthorized: false },
    ...{ minVersion: "TLSv1.3", ALPNProtocols: [protocol] },
  });
  socket.setNoDelay(true);
  const limit = setTimeLimit(clock, () => socket.destroy(new Error("no answer")), CONNECT_MS_MAX);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the connection has ended")));
    });
  } catch (error) {
    socket.destroy();
    const reason = errorText(error);
    throw new PlaceError(
      "unreachable",
      `the other recorder does not answer at ${host} port ${port}: ${reason}`,
      error,
    );
  } finally {
    limit.clear();
  }
  // Its close reports what ends it later.
  socket.on("error", () => socket.destroy());
  const { raw } = socket.getPeerCertificate();
  if (raw !== undefined && certificateHash(raw) === certificate) return socket;
  socket.destroy();
  throw new PlaceError("foreign", `what answers at ${host} port ${port} is another machine`);
}

/** A session of HTTP/2 with a box, which is its server. Rejects with PlaceError. */
export async function connectPartner(
  place: PartnerPlace,
  clock: Clock,
): Promise<{ readonly session: ClientHttp2Session; readonly host: string }> {
  const { socket, host } = await reachPartner(place, clock, "h2");
  const session = connectHttp2("https://partner", {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
    maxSessionMemory: SESSION_MEGABYTES_MAX,
  });
  session.on("error", () => session.destroy());
  return { session, host };
}

export interface PartnerQuestion {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** A longer answer is none. */
  readonly bytesMax: number;
  readonly withinMs: number;
}

export interface PartnerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Asks over a session and takes the whole answer. Rejects with NvrdError NOT_AVAILABLE where none comes in time, or a longer one. */
export async function askOver(
  session: ClientHttp2Session,
  { method, path, headers, body, bytesMax, withinMs }: PartnerQuestion,
  clock: Clock,
): Promise<PartnerAnswer> {
  if (session.destroyed || session.closed) throw notThere("the connection has ended");
  const stream = session.request(
    { ":method": method, ":path": path, ...headers },
    { endStream: body === undefined },
  );
  let reason = "the connection has ended";
  const limit = setTimeLimit(
    clock,
    () => {
      reason = "no answer in time";
      stream.close();
    },
    withinMs,
  );
  try {
    if (body !== undefined) stream.end(body);
    return await answerOf(stream, bytesMax);
  } catch (error) {
    throw notThere(error instanceof RangeError ? error.message : reason, error);
  } finally {
    limit.clear();
    stream.close();
  }
}

async function answerOf(stream: ClientHttp2Stream, bytesMax: number): Promise<PartnerAnswer> {
  return await new Promise((resolve, reject) => {
    let head: Omit<PartnerAnswer, "body"> | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.once("response", ({ ":status": status = 0, ...headers }) => {
      const plain = Object.entries(headers).filter(
        (each): each is [string, string] => typeof each[1] === "string",
      );
      head = { status, headers: Object.fromEntries(plain) };
    });
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) reject(new RangeError("the answer is too long"));
      else chunks.push(chunk);
    });
    stream.once("end", () => {
      if (head === undefined) reject(new Error("no answer"));
      else resolve({ ...head, body: Buffer.concat(chunks) });
    });
    stream.once("error", reject);
    stream.once("close", () => reject(new Error("no answer")));
  });
}

function notThere(reason: string, cause?: unknown): NvrdError {
  const message = `the other recorder does not answer: ${reason}`;
  return new NvrdError("NOT_AVAILABLE", message, { hint: "", ...(cause === undefined ? {} : { cause }) });
}
