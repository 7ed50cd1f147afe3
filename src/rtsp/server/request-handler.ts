import type { Clock } from "../../base/index.js";
import type { MountDescription, MountResolver, MountSource } from "./mount.js";
import type { PacketizedTrack } from "./packetized-tracks.js";
import type { ServerAuthenticator } from "./server-authenticator.js";
import { RequestError, type ServerRequest } from "./server-request.js";
import type { ServerResponse } from "./server-response.js";
import { ServerSession, type SessionOutput } from "./server-session.js";
import { sessionDescription, trackControl } from "./session-description.js";
import type { SessionTrack } from "./session-track.js";
import { parseTransportHeader } from "./transport-header.js";

/** Most time a source may take to describe itself. */
export const DESCRIBE_TIMEOUT_MS = 10_000;

const METHODS = "OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, GET_PARAMETER, SET_PARAMETER, TEARDOWN";
const MILLISECONDS_PER_SECOND = 1000;

export interface RequestHandlerOptions {
  readonly resolve: MountResolver;
  /** The tracks of a source, shared by all its viewers. */
  readonly tracksOf: (source: MountSource, description: MountDescription) => readonly PacketizedTrack[];
  readonly authenticator: ServerAuthenticator | undefined;
  readonly output: SessionOutput;
  readonly clock: Clock;
  readonly localAddress: string;
  readonly sessionTimeoutMs: number;
}

/** A request's URI taken apart: what the resolver knows, and the track. */
interface Target {
  readonly resource: string;
  readonly track: number | undefined;
}

/** Answers the requests of one connection (RFC 2326, 10). At most one session a connection. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #sdpSessionId: number;
  #session: ServerSession | undefined;
  #resource = "";
  #afterAnswer: (() => void) | undefined;
  #closed = false;
  authFailures = 0;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#sdpSessionId = Math.floor(options.clock.nowUs() / 1_000_000);
  }

  /** Answers, or throws RequestError. */
  async handle(request: ServerRequest): Promise<ServerResponse> {
    if (request.headers.get("cseq") === undefined) throw new RequestError(400, "CSeq is missing");
    if (request.version !== "1.0") throw new RequestError(505, "this server speaks RTSP/1.0");
    const required = request.headers.get("require");
    if (required !== undefined) return { status: 551, headers: { Unsupported: required } };
    if (request.method === "OPTIONS") return { status: 200, headers: { Public: METHODS } };
    return this.#authenticate(request) ?? this.#dispatch(request);
  }

  /** Called when the response has been written: PLAY starts its frames behind it. */
  answered(): void {
    const run = this.#afterAnswer;
    this.#afterAnswer = undefined;
    run?.();
  }

  sendDueReports(monotonicUs: number): void {
    this.#session?.sendDueReports(monotonicUs);
  }

  close(): void {
    this.#closed = true;
    this.#endSession();
  }

  #authenticate(request: ServerRequest): ServerResponse | undefined {
    const { authenticator } = this.#options;
    if (authenticator === undefined) return undefined;
    const authorization = request.headers.get("authorization");
    const result = authenticator.check(request.method, authorization);
    if (result.granted) return undefined;
    if (authorization !== undefined) this.authFailures += 1;
    return { status: 401, headers: { "WWW-Authenticate": result.challenges } };
  }

  async #dispatch(request: ServerRequest): Promise<ServerResponse> {
    switch (request.method) {
      case "DESCRIBE":
        return this.#describe(request);
      case "SETUP":
        return this.#setUp(request);
      case "PLAY":
        return this.#play(request);
      case "PAUSE":
        return this.#pause(request);
      case "TEARDOWN":
        return this.#tearDown(request);
      case "GET_PARAMETER":
      case "SET_PARAMETER":
        return this.#parameter(request);
      default:
        return { status: 501, headers: { Public: METHODS } };
    }
  }

  async #describe(request: ServerRequest): Promise<ServerResponse> {
    const accept = request.headers.get("accept");
    if (accept !== undefined && !/application\/sdp|application\/\*|\*\/\*/i.test(accept)) {
      throw new RequestError(406, "descriptions are application/sdp");
    }
    const { resource } = targetOf(request.uri);
    const { description, tracks } = await this.#open(resource);
    const { localAddress } = this.#options;
    const base = `${withoutCredentials(baseOf(request.uri))}/`;
    return {
      status: 200,
      headers: { "Content-Base": base, "Content-Type": "application/sdp" },
      body: sessionDescription({
        title: description.title,
        sessionId: this.#sdpSessionId,
        localAddress,
        tracks,
        // GStreamer drops the base's query when it resolves a relative URL (RFC 3986, 5.2), ffmpeg does not.
        trackBase: base.includes("?") ? base : "",
      }),
    };
  }

  async #setUp(request: ServerRequest): Promise<ServerResponse> {
    const target = targetOf(request.uri);
    const offers = parseTransportHeader(request.headers.get("transport") ?? "");
    const offer = offers.find((one) => one.lower === "TCP");
    if (offer === undefined) throw new RequestError(461, "ask for RTP/AVP/TCP;unicast;interleaved=0-1");
    const session = await this.#sessionFor(request, target.resource);
    if (session.isPlaying) throw new RequestError(455, "a track is set up before PLAY");
    const index = target.track ?? (session.offeredTracks === 1 ? 0 : undefined);
    if (index === undefined) throw new RequestError(459, "set up each track by its own URL");
    const track = session.setUp(index, offer.interleaved);
    if (track === undefined) throw new RequestError(404, "there is no such track");
    const [rtp, rtcp] = track.channels;
    const ssrc = track.ssrc.toString(16).padStart(8, "0").toUpperCase();
    return {
      status: 200,
      headers: {
        Transport: `RTP/AVP/TCP;unicast;interleaved=${rtp}-${rtcp};ssrc=${ssrc}`,
        Session: this.#sessionHeader(session),
      },
    };
  }

  #play(request: ServerRequest): ServerResponse {
    const session = this.#existingSession(request);
    if (session.tracks.length === 0) throw new RequestError(455, "SETUP comes before PLAY");
    this.#afterAnswer = () => {
      if (session === this.#session) session.play();
    };
    const base = withoutCredentials(baseOf(request.uri));
    return {
      status: 200,
      headers: {
        Session: this.#sessionHeader(session),
        Range: "npt=now-",
        "RTP-Info": session.tracks.map((track) => rtpInfo(base, track)).join(","),
      },
    };
  }

  #pause(request: ServerRequest): ServerResponse {
    const session = this.#existingSession(request);
    session.pause();
    return { status: 200, headers: { Session: this.#sessionHeader(session) } };
  }

  #tearDown(request: ServerRequest): ServerResponse {
    const session = this.#existingSession(request);
    this.#endSession();
    return { status: 200, headers: { Session: session.id } };
  }

  /** Without a body it keeps the session alive; there are no parameters to read or to set. */
  #parameter(request: ServerRequest): ServerResponse {
    if (request.headers.has("session")) this.#existingSession(request);
    if (request.body.length > 0) throw new RequestError(451, "this server knows no parameters");
    const session = this.#session;
    return session === undefined
      ? { status: 200 }
      : { status: 200, headers: { Session: this.#sessionHeader(session) } };
  }

  async #open(resource: string): Promise<OpenMount> {
    const source = await this.#options.resolve(resource);
    if (source === undefined) throw new RequestError(404, "there is no such stream");
    const description = await this.#withTimeout(source.describe());
    if (description === undefined)
      throw new RequestError(503, "the stream has no picture just now; try again later");
    return { source, description, tracks: this.#options.tracksOf(source, description) };
  }

  /** The session of this connection, made by its first SETUP; later ones may leave the Session header out. */
  async #sessionFor(request: ServerRequest, resource: string): Promise<ServerSession> {
    if (request.headers.has("session")) this.#existingSession(request);
    if (this.#session !== undefined) {
      if (resource !== this.#resource) throw new RequestError(459, "one session plays one stream");
      return this.#session;
    }
    const { source, tracks } = await this.#open(resource);
    if (this.#closed) throw new RequestError(503, "the connection is closing");
    const { output, clock, localAddress } = this.#options;
    this.#resource = resource;
    this.#session = new ServerSession({ source, tracks, output, clock, cname: `nvrd@${localAddress}` });
    return this.#session;
  }

  #existingSession(request: ServerRequest): ServerSession {
    const id = request.headers.get("session")?.split(";", 1)[0]?.trim();
    const session = this.#session;
    if (session === undefined || (id !== undefined && id !== session.id)) {
      throw new RequestError(454, "there is no such session on this connection");
    }
    return session;
  }

  #sessionHeader(session: ServerSession): string {
    return `${session.id};timeout=${Math.floor(this.#options.sessionTimeoutMs / MILLISECONDS_PER_SECOND)}`;
  }

  #endSession(): void {
    this.#session?.pause();
    this.#session = undefined;
    this.#afterAnswer = undefined;
  }

  #withTimeout<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.setTimeout(() => resolve(undefined), DESCRIBE_TIMEOUT_MS);
      promise.then(resolve, reject).finally(() => timer.clear());
    });
  }
}

interface OpenMount {
  readonly source: MountSource;
  readonly description: MountDescription;
  readonly tracks: readonly PacketizedTrack[];
}

/** `rtsp://host:port/path?query/trackID=1` to `/path?query` and 1. */
function targetOf(uri: string): Target {
  const afterHost = uri.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const match = /^(.*)\/trackID=(\d{1,3})\/?$/.exec(afterHost);
  const resource = (match?.[1] ?? afterHost).replace(/\/$/, "");
  return { resource: resource === "" ? "/" : resource, track: match === null ? undefined : Number(match[2]) };
}

function baseOf(uri: string): string {
  return uri.replace(/\/trackID=\d{1,3}\/?$/, "").replace(/\/$/, "");
}

function withoutCredentials(uri: string): string {
  return uri.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?]*@/i, "$1");
}

function rtpInfo(base: string, track: SessionTrack): string {
  return `url=${base}/${trackControl(track.index)};seq=${track.sequence}`;
}
