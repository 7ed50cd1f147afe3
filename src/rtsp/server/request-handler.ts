import { type Clock, MS_PER_SECOND, NvrdError } from "../../base/index.js";
import type { MountDescription, MountResolver, MountSource, Recording } from "./mount.js";
import type { PacketizedTrack } from "./packetized-tracks.js";
import { changesPlay, formatRange, readPlayOrder, requireLiveRange } from "./play-order.js";
import { baseOf, rtpInfo, targetOf, withoutCredentials } from "./request-target.js";
import type { ServerAuthenticator } from "./server-authenticator.js";
import { RequestError, type ServerRequest } from "./server-request.js";
import { type GrantedPlay, ServerSession, type SessionOutput } from "./server-session.js";
import { sessionDescription } from "./session-description.js";
import type { SessionTrack } from "./session-track.js";
import { UdpDelivery } from "./track-delivery.js";
import { parseTransportHeader } from "./transport-header.js";
import type { UdpPorts } from "./udp-ports.js";

/** Time limit of a source's `describe`. */
export const DESCRIBE_TIMEOUT_MS = 10_000;
/** When to ask again for a recording that did not come within that time. */
const RETRY_MS = 2000;

const METHODS = "OPTIONS, DESCRIBE, SETUP, PLAY, PAUSE, GET_PARAMETER, SET_PARAMETER, TEARDOWN";
/** The feature tag that a client may require for a recording (ONVIF Streaming Specification, 6.2). */
const REPLAY_FEATURE = "onvif-replay";

export interface RequestHandlerOptions {
  readonly resolve: MountResolver;
  /** The tracks of a source, shared by all its viewers. */
  readonly tracksOf: (source: MountSource, description: MountDescription) => readonly PacketizedTrack[];
  readonly authenticator: ServerAuthenticator | undefined;
  readonly output: SessionOutput;
  readonly clock: Clock;
  readonly localAddress: string;
  /** The client's address. */
  readonly address: string;
  readonly sessionTimeoutMs: number;
  /** Undefined: UDP is not served. */
  readonly udp: UdpPorts | undefined;
  /** A request's URI as it may be repeated in responses: without the resolver's credentials. */
  readonly publicUri: (uri: string) => string;
  /** A UDP packet came from the client. */
  readonly onReceived: () => void;
}

export interface ServerResponse {
  readonly status: number;
  /** Names as written; each item of a list becomes one header. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
}

/** Answers the requests of one connection (RFC 2326, 10). At most one session per connection. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #sdpSessionId: number;
  #session: ServerSession | undefined;
  #resource = "";
  #afterAnswer: (() => void) | undefined;
  readonly #gone = new AbortController();
  authFailures = 0;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#sdpSessionId = Math.floor(options.clock.nowUs() / 1_000_000);
  }

  /** Resolves with the response, or rejects with RequestError, or with the resolver's NvrdError. */
  async handle(request: ServerRequest): Promise<ServerResponse> {
    if (request.headers.get("cseq") === undefined) throw new RequestError(400, "CSeq is missing");
    if (request.version !== "1.0") throw new RequestError(505, "this server speaks RTSP/1.0");
    const required = request.headers.get("require");
    if (required !== undefined && required.trim().toLowerCase() !== REPLAY_FEATURE)
      return { status: 551, headers: { Unsupported: required } };
    if (request.method === "OPTIONS") return { status: 200, headers: { Public: METHODS } };
    return this.#authenticate(request) ?? this.#dispatch(request);
  }

  /** Call when the response has been written: PLAY sends its frames after it. */
  answered(): void {
    const run = this.#afterAnswer;
    this.#afterAnswer = undefined;
    run?.();
  }

  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  get isPlaying(): boolean {
    return this.#session?.isPlaying === true;
  }

  /** The client has read some of what was written. */
  onDrained(): void {
    this.#session?.onDrained();
  }

  sendDueReports(monotonicUs: number): void {
    this.#session?.sendDueReports(monotonicUs);
  }

  close(): void {
    this.#gone.abort();
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
    const { source, description, tracks } = await this.#open(request);
    const ranges = source.recording === undefined ? undefined : await rangesOf(source.recording);
    const base = `${this.#publicBase(request.uri)}/`;
    return {
      status: 200,
      headers: { "Content-Base": base, "Content-Type": "application/sdp" },
      body: sessionDescription({
        title: description.title,
        sessionId: this.#sdpSessionId,
        localAddress: this.#options.localAddress,
        tracks,
        // GStreamer drops the base's query when it resolves a relative URL (RFC 3986, 5.2), ffmpeg does not.
        trackBase: base.includes("?") ? base : "",
        ...(ranges === undefined ? {} : { ranges }),
      }),
    };
  }

  async #setUp(request: ServerRequest): Promise<ServerResponse> {
    const target = targetOf(request.uri);
    const offers = parseTransportHeader(request.headers.get("transport") ?? "");
    const { udp } = this.#options;
    const offer = offers.find(
      (one) => one.lower === "TCP" || (udp !== undefined && one.clientPorts !== undefined),
    );
    if (offer === undefined) {
      const alternative = udp === undefined ? "" : " or RTP/AVP;unicast;client_port=5000-5001";
      throw new RequestError(461, `ask for RTP/AVP/TCP;unicast;interleaved=0-1${alternative}`);
    }
    const session = await this.#sessionFor(request);
    if (session.isPlaying) throw new RequestError(455, "tracks must be set up before PLAY");
    const index = target.track ?? (session.offeredTracks === 1 ? 0 : undefined);
    if (index === undefined) throw new RequestError(459, "set up each track by its own URL");
    if (index >= session.offeredTracks) throw new RequestError(404, "there is no such track");
    const track =
      udp === undefined || offer.clientPorts === undefined
        ? session.setUpInterleaved(index, offer.interleaved)
        : await this.#setUpUdp(session, { index, clientPorts: offer.clientPorts, udp });
    if (track === undefined) throw new RequestError(404, "there is no such track");
    const ssrc = track.ssrc.toString(16).padStart(8, "0").toUpperCase();
    return {
      status: 200,
      headers: {
        Transport: `${track.delivery.transport};ssrc=${ssrc}`,
        Session: this.#sessionHeader(session),
      },
    };
  }

  async #setUpUdp(
    session: ServerSession,
    track: {
      readonly index: number;
      readonly clientPorts: readonly [number, number];
      readonly udp: UdpPorts;
    },
  ): Promise<SessionTrack | undefined> {
    const { address, localAddress, onReceived } = this.#options;
    const { clientPorts, index, udp } = track;
    const onRoom = () => session.onDrained();
    const path = await udp.path(localAddress, { address, clientPorts, onReceived, onRoom });
    const delivery = new UdpDelivery(path);
    if (session === this.#session) return session.setUp(index, delivery);
    delivery.close();
    throw new RequestError(454, "the session has ended");
  }

  async #play(request: ServerRequest): Promise<ServerResponse> {
    const session = this.#existingSession(request);
    if (session.tracks.length === 0) throw new RequestError(455, "SETUP comes before PLAY");
    await session.source.admit?.();
    this.#requireOpen(session);
    const { recording } = session.source;
    if (recording !== undefined) return this.#playRecording(request, session, recording);
    requireLiveRange(request.headers);
    this.#afterAnswer = () => {
      if (session === this.#session) session.play();
    };
    return this.#playing(request, session, { Range: "npt=now-" });
  }

  async #playRecording(
    request: ServerRequest,
    session: ServerSession,
    recording: Recording,
  ): Promise<ServerResponse> {
    if (session.isPlaying && !changesPlay(request.headers)) return this.#playing(request, session, {});
    const { startUs, scale } = recording;
    const position = { startUs, scale, sentUs: session.sentUs };
    const { order, unit } = readPlayOrder(request.headers, position);
    const playback = await recording.play(order);
    if (session !== this.#session) playback.close();
    this.#requireOpen(session);
    const granted: GrantedPlay = { playback, order, cseq: Number(request.headers.get("cseq")) || 0 };
    const timestamps = session.prepare(granted);
    this.#afterAnswer = () => {
      if (session === this.#session) session.playRecording(granted);
      else playback.close();
    };
    const times = { startUs, fromUs: playback.firstUs, toUs: order.toUs };
    const headers = {
      Range: formatRange(unit, times),
      Scale: order.scale.toString(),
      Speed: order.speed.toString(),
      ...(request.headers.has("rate-control") ? { "Rate-Control": order.rateControl ? "yes" : "no" } : {}),
    };
    return this.#playing(request, session, headers, timestamps);
  }

  #playing(
    request: ServerRequest,
    session: ServerSession,
    headers: Readonly<Record<string, string>>,
    timestamps?: ReadonlyMap<SessionTrack, number>,
  ): ServerResponse {
    const base = this.#publicBase(request.uri);
    return {
      status: 200,
      headers: {
        Session: this.#sessionHeader(session),
        ...headers,
        "RTP-Info": session.tracks.map((track) => rtpInfo(base, track, timestamps?.get(track))).join(","),
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

  /** Without a body it is a keep-alive; there are no parameters to read or set. */
  #parameter(request: ServerRequest): ServerResponse {
    if (request.headers.has("session")) this.#existingSession(request);
    if (request.body.length > 0) throw new RequestError(451, "this server has no parameters");
    const session = this.#session;
    return session === undefined
      ? { status: 200 }
      : { status: 200, headers: { Session: this.#sessionHeader(session) } };
  }

  async #open(request: ServerRequest): Promise<OpenMount> {
    const { resource } = targetOf(request.uri);
    const { resolve, address } = this.#options;
    const authorization = request.headers.get("authorization");
    const source = await resolve(resource, {
      ...{ authorization, address, connection: this, gone: this.#gone.signal },
    });
    if (source === undefined) throw new RequestError(404, "there is no such stream");
    if (request.headers.has("require") && source.recording === undefined)
      throw new RequestError(551, `${REPLAY_FEATURE} is for recordings: ask for mode=archive`);
    const description = await this.#withTimeout(source.describe());
    if (description === undefined && source.recording !== undefined)
      throw new NvrdError("NOT_AVAILABLE", "the recording did not come in time", { retryAfterMs: RETRY_MS });
    if (description === undefined)
      throw new RequestError(503, "the stream has no picture now; try again later");
    return { source, description, tracks: this.#options.tracksOf(source, description) };
  }

  /** The session of this connection, created by its first SETUP; later ones may omit the Session header. */
  async #sessionFor(request: ServerRequest): Promise<ServerSession> {
    if (request.headers.has("session")) this.#existingSession(request);
    const resource = this.#options.publicUri(targetOf(request.uri).resource);
    if (this.#session !== undefined) {
      if (resource !== this.#resource) throw new RequestError(459, "one session plays one stream");
      return this.#session;
    }
    const { source, tracks } = await this.#open(request);
    if (this.#gone.signal.aborted) throw new RequestError(503, "the connection is closing");
    const { output, clock, localAddress } = this.#options;
    this.#resource = resource;
    this.#session = new ServerSession({ source, tracks, output, clock, cname: `nvrd@${localAddress}` });
    this.#session.isReplay = request.headers.has("require");
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

  /** The connection may have ended during an await. */
  #requireOpen(session: ServerSession): void {
    if (session !== this.#session) throw new RequestError(454, "the session has ended");
  }

  #sessionHeader(session: ServerSession): string {
    return `${session.id};timeout=${Math.floor(this.#options.sessionTimeoutMs / MS_PER_SECOND)}`;
  }

  #publicBase(uri: string): string {
    return this.#options.publicUri(withoutCredentials(baseOf(uri)));
  }

  #endSession(): void {
    this.#session?.close();
    this.#session = undefined;
    const waiting = this.#afterAnswer;
    this.#afterAnswer = undefined;
    // Closes a granted playback that was not started.
    waiting?.();
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

/** Players read npt, recorders clock; each uses the range that it supports, GStreamer the first. */
async function rangesOf(recording: Recording): Promise<string[]> {
  const extent = await recording.extent();
  const { startUs } = recording;
  if (extent === undefined) return ["npt=0-"];
  const toUs = Math.max(extent.toUs, startUs);
  const ranges = [
    formatRange("npt", { startUs, fromUs: startUs, toUs }),
    formatRange("clock", { startUs, fromUs: extent.fromUs, toUs: extent.toUs }),
  ];
  return recording.byClock ? ranges.reverse() : ranges;
}
