import { type Clock, type ClockTimer, errorText, type Log, redactUrl, US_PER_MS } from "../../base/index.js";
import { Frame, type LiveStream, type SlabPool, StreamClock, type Subscription } from "../../live/index.js";
import { UnitLosses } from "../depacketize/unit-losses.js";
import { parseRtspUrl, type RtspCredentials, type RtspUrl } from "../message/rtsp-url.js";
import { KeepAliveManners } from "./keep-alive.js";
import type { LoginGate, LoginTurn } from "./login-gate.js";
import type { ReadTicker } from "./read-ticker.js";
import { BOOT_MS_MAX, isAway, retryDelayMs } from "./retry-policy.js";
import { RTSP_TIMEOUTS_DEFAULT, type RtspTimeouts } from "./rtsp-dialogue.js";
import { causeOf, RtspFailure } from "./rtsp-failure.js";
import { RtspSession } from "./rtsp-session.js";
import type { Dialer } from "./socket/client-socket.js";
import { NetworkDialer } from "./socket/dialer.js";
import type { PeerKey } from "./socket/peer-key.js";
import { Patience } from "./stream-life.js";
import type { TransportKind } from "./track-transport.js";

/**
 * "tcp": TCP interleaved only. "udp": UDP, and TCP if the camera refuses UDP or nothing arrives. "auto": TCP, and UDP
 * if the camera refuses TCP or nothing arrives.
 */
export type TransportChoice = "auto" | "tcp" | "udp";

export interface RtspSourceOptions {
  /** Address of the stream, with a scheme of `STREAM_SCHEME`; its credentials are used if `credentials` is absent. */
  readonly url: string;
  readonly credentials?: RtspCredentials | undefined;
  /** The same stream through HTTP, tried where the port of `url` refuses. */
  readonly tunnelUrl?: string | undefined;
  readonly transport: TransportChoice;
  /** Receives the frames and the source's state. */
  readonly stream: LiveStream;
  readonly pool: SlabPool;
  readonly clock: Clock;
  /** 0 to 1; only for jitter, never for secrets. */
  readonly random: () => number;
  readonly log: Log;
  /** Shared by all sources. */
  readonly ticker: ReadTicker;
  readonly wantAudio: boolean;
  /** Default: the machine's network. */
  readonly dialer?: Dialer | undefined;
  /** See `Endpoint.verifyCertificate`; false when absent. */
  readonly verifyCertificate?: boolean | undefined;
  /** No connection without TLS, not even by a redirect. */
  readonly secureOnly?: boolean | undefined;
  /** Connect to IPv4 addresses only; any when absent. */
  readonly ipv4Only?: boolean | undefined;
  /** A redirect may lead to another host; false when absent. */
  readonly redirectsAnywhere?: boolean | undefined;
  /** Whether the password itself must not be sent, asked before each session; false when absent. */
  readonly digestOnly?: (() => boolean) | undefined;
  /** Called when a key frame is wanted, for other ways to ask than RTCP; some seconds apart at least. */
  readonly onKeyWanted?: (() => void) | undefined;
  /** Over TLS: whether the camera's key at `port` is the one that is expected; any is when absent. */
  readonly acceptsKey?: ((port: number, key: PeerKey) => boolean) | undefined;
  /** Called when the camera took the login as a digest: a session is open. */
  readonly onDigest?: (() => void) | undefined;
  /**
   * Asked before each attempt with credentials. If absent: attempts begin at once, and UNAUTHORIZED_DELAY_MS after a
   * refusal.
   */
  readonly loginGate?: LoginGate | undefined;
  /** Default of each: RTSP_TIMEOUTS_DEFAULT. */
  readonly timeouts?: Partial<RtspTimeouts> | undefined;
}

/** After a session of this length, the next failure counts as the first again. */
const STABLE_SESSION_MS = 10_000;

/** How often the tunnel is tried while the port of RTSP refuses: the camera may just be booting, and its HTTP may answer late. */
const TUNNEL_TRIED_AGAIN_MS = 60_000;

const TRANSPORTS: Record<TransportChoice, readonly TransportKind[]> = {
  auto: ["tcp", "udp"],
  udp: ["udp", "tcp"],
  tcp: ["tcp"],
};

/** The turn of a source without credentials or gate. */
const FREE_TURN: LoginTurn = {
  accepted: () => undefined,
  refused: () => undefined,
  ended: () => undefined,
};
const FORBIDDEN = 403;

/** Whether the camera refused the password itself; 403 says that the user may not see this stream. */
function isRefusal(failure: RtspFailure): boolean {
  return failure.kind === "unauthorized" && failure.rtspStatus !== FORBIDDEN;
}

/** From a start to its stop. */
interface Run {
  isStopped: boolean;
  readonly waiting: AbortController;
  done: Promise<void>;
}

/**
 * Receives one stream of one camera while started: connects, watches, reconnects. It publishes frames to its LiveStream
 * and sets its state, with reasons that an installer understands. Stream time continues across sessions; the first
 * frame of each session is a video frame with `discontinuity`.
 */
export class RtspSource {
  readonly #options: RtspSourceOptions;
  readonly #url: RtspUrl;
  readonly #log: Log;
  readonly #dialer: Dialer;
  readonly #streamClock: StreamClock;
  readonly #losses: UnitLosses;
  readonly #timeouts: RtspTimeouts;
  readonly #patience = new Patience();
  readonly #manners = new KeepAliveManners();
  #transports: readonly TransportKind[];
  #session: RtspSession | undefined;
  #demand: Subscription | undefined;
  #run: Run | undefined;
  readonly #tunnelUrl: RtspUrl | undefined;
  /** The next attempt, or the one in progress, goes through the tunnel instead of `#url`. */
  #isTunnelled = false;
  #tunnelDueUs = Number.NEGATIVE_INFINITY;
  /** Why the tunnel is tried: reported where it does not work either. */
  #refusal: RtspFailure | undefined;
  #wake: (() => void) | undefined;
  #endAttempt: ((failure: RtspFailure) => void) | undefined;
  #publishing = false;
  /** Stream time of the session's newest clean key frame, and how far it was from the one before. */
  #keyUs: number | undefined;
  #keyIntervalUs: number | undefined;
  #attempts = 0;
  #failures = 0;
  #lastReason = "";
  /** When the camera was last absent, or last sent frames. */
  #awayUs = Number.NEGATIVE_INFINITY;
  /** No attempt starts before this monotonic time, not even after a stop and a start. */
  #notBeforeUs = 0;

  /** Throws NvrdError BAD_REQUEST if `url` is not an RTSP address. */
  constructor(options: RtspSourceOptions) {
    this.#options = options;
    this.#url = parseRtspUrl(options.url);
    this.#tunnelUrl = options.tunnelUrl === undefined ? undefined : parseRtspUrl(options.tunnelUrl);
    this.#log = options.log.child({ stream: String(options.stream), url: redactUrl(this.#url.requestUrl) });
    this.#dialer = options.dialer ?? new NetworkDialer();
    this.#streamClock = new StreamClock(options.clock);
    this.#losses = new UnitLosses(this.#log, options.stream.losses);
    this.#timeouts = { ...RTSP_TIMEOUTS_DEFAULT, ...options.timeouts };
    this.#transports = TRANSPORTS[options.transport];
  }

  /** Attempts to connect since the source was created. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The transport of the current session; undefined while there is none. */
  get transport(): TransportKind | undefined {
    return this.#session?.transport;
  }

  /** Connects, and keeps connecting until `stop`. Starting it twice is harmless. */
  start(): void {
    const before = this.#run;
    if (before !== undefined && !before.isStopped) return;
    this.#demand ??= this.#options.stream.onDemand({
      onDemand: ({ atOnce, isPatient }) => {
        this.#session?.setAtOnce(atOnce > 0);
        this.#session?.setPatient(isPatient);
      },
    });
    this.#options.stream.setState({ state: "connecting" });
    const run: Run = { isStopped: false, waiting: new AbortController(), done: Promise.resolve() };
    run.done = (before?.done ?? Promise.resolve()).then(() => this.#attemptUntilStopped(run));
    this.#run = run;
  }

  /** Ends the session in order; resolves when it is closed, after `teardownMs` at most. */
  async stop(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    run.isStopped = true;
    run.waiting.abort();
    this.#wake?.();
    await this.#session?.close();
    this.#endAttempt?.(new RtspFailure("stopped", "the source was stopped"));
    await run.done;
    // Started again meanwhile: the newer run sets the state.
    if (this.#run !== run) return;
    this.#run = undefined;
    this.#demand?.close();
    this.#demand = undefined;
    this.#options.stream.setState({ state: "idle" });
  }

  async #attemptUntilStopped(run: Run): Promise<void> {
    while (!run.isStopped) {
      await this.#sleepUntil(this.#notBeforeUs);
      if (run.isStopped) return;
      const turn = await this.#turn(run);
      if (run.isStopped || turn === undefined) {
        turn?.ended();
        return;
      }
      const startedUs = this.#options.clock.monotonicUs();
      const failure = await this.#attempt(turn);
      if (run.isStopped) return;
      this.#onLost(failure, this.#options.clock.monotonicUs() - startedUs);
    }
  }

  /** Undefined when the source is stopped before it may try. */
  async #turn(run: Run): Promise<LoginTurn | undefined> {
    const gate = this.#credentials === undefined ? undefined : this.#options.loginGate;
    if (gate === undefined) return FREE_TURN;
    const { signal } = run.waiting;
    return await gate.turn({ signal, onRefused: () => this.#refusedElsewhere() });
  }

  /** Another stream of the device tried the same password: the result holds for this one too. */
  #refusedElsewhere(): void {
    const { stream } = this.#options;
    if (stream.state.state === "lost" && stream.state.cause === "unauthorized") return;
    const reason = "the camera refuses user name or password: correct them";
    this.#lastReason = reason;
    stream.setState({ state: "lost", reason, cause: "unauthorized" });
  }

  get #credentials(): RtspCredentials | undefined {
    return this.#options.credentials ?? this.#url.credentials;
  }

  /** One session from start to end; resolves with the reason of its end. */
  async #attempt(turn: LoginTurn): Promise<RtspFailure> {
    this.#attempts += 1;
    this.#publishing = false;
    const ended = new Promise<RtspFailure>((resolve) => {
      this.#endAttempt = resolve;
    });
    let session: RtspSession | undefined;
    try {
      session = this.#makeSession();
      this.#session = session;
      session.setAtOnce(this.#options.stream.atOnce > 0);
      session.setPatient(this.#options.stream.isPatient);
      await session.open();
      turn.accepted();
      if (session.tookDigest) this.#options.onDigest?.();
      const failure = await ended;
      return failure;
    } catch (error) {
      if (error instanceof RtspFailure) {
        if (isRefusal(error)) turn.refused();
        return error;
      }
      this.#log.error({ err: error }, "attempt failed unexpectedly");
      return new RtspFailure("protocol", `the stream could not be set up: ${errorText(error)}`, {
        cause: error,
      });
    } finally {
      turn.ended();
      this.#session = undefined;
      this.#endAttempt = undefined;
    }
  }

  #makeSession(): RtspSession {
    const {
      pool,
      clock,
      random,
      ticker,
      wantAudio,
      verifyCertificate,
      secureOnly,
      ipv4Only,
      digestOnly,
      redirectsAnywhere,
      acceptsKey,
    } = this.#options;
    return new RtspSession({
      url: this.#isTunnelled ? (this.#tunnelUrl ?? this.#url) : this.#url,
      credentials: this.#credentials,
      verifyCertificate: verifyCertificate ?? false,
      secureOnly: secureOnly ?? false,
      ipv4Only: ipv4Only ?? false,
      redirectsAnywhere: redirectsAnywhere ?? false,
      digestOnly: digestOnly?.() ?? false,
      acceptsKey,
      dialer: this.#dialer,
      pool,
      clock,
      random,
      log: this.#log,
      timeouts: this.#timeouts,
      transports: this.#transports,
      wantAudio,
      ticker,
      streamClock: this.#streamClock,
      losses: this.#losses,
      patience: this.#patience,
      manners: this.#manners,
      keyIntervalUs: this.#keyIntervalUs,
      onWaiting: () => this.#wait(),
      onKeyWanted: () => this.#options.onKeyWanted?.(),
      publish: (frame) => this.#publish(frame),
      onFailure: (failure) => this.#endAttempt?.(failure),
    });
  }

  /** Packets come, and no picture: the stream is not lost, and it can be said why it shows nothing. */
  #wait(): void {
    const { stream } = this.#options;
    this.#log.info({ keyIntervalUs: this.#keyIntervalUs }, "waiting for the camera's next key frame");
    stream.setState({ state: "waiting", keyIntervalUs: this.#keyIntervalUs });
  }

  #learnKeyInterval({ decodeTimeUs, discontinuity }: Frame): void {
    if (this.#keyUs !== undefined && !discontinuity) this.#keyIntervalUs = decodeTimeUs - this.#keyUs;
    this.#keyUs = decodeTimeUs;
  }

  /** Drops audio before the first video frame, which starts a new fragment. */
  #publish(frame: Frame): void {
    const { stream } = this.#options;
    if (frame.key && !frame.isAudio && !frame.damaged) this.#learnKeyInterval(frame);
    if (this.#publishing) {
      stream.publish(frame);
      return;
    }
    if (frame.isAudio) {
      frame.release();
      return;
    }
    this.#publishing = true;
    stream.setSound(this.#options.wantAudio ? (this.#session?.hasSound === true ? "on" : "none") : "off");
    this.#lastReason = "";
    const { transport } = this;
    const attempts = this.#attempts;
    this.#log.info({ transport, throughHttp: this.#isTunnelled, attempts }, "camera sends");
    stream.setState({ state: "active" });
    stream.publish(frame.discontinuity ? frame : withDiscontinuity(frame));
  }

  /** Decides whether the next attempt goes through the tunnel. Answers the failure to report. */
  #chooseWay(failure: RtspFailure): RtspFailure {
    if (this.#isTunnelled) {
      // One that worked is tried again before the port that refused.
      if (this.#publishing) return failure;
      this.#isTunnelled = false;
      this.#log.debug({ kind: failure.kind, error: failure.message }, "the tunnel through HTTP fails");
      const isOfLogin = failure.kind === "unauthorized" || failure.kind === "key-changed";
      return isOfLogin ? failure : (this.#refusal ?? failure);
    }
    const nowUs = this.#options.clock.monotonicUs();
    if (this.#tunnelUrl === undefined || failure.kind !== "refused" || nowUs < this.#tunnelDueUs)
      return failure;
    this.#tunnelDueUs = nowUs + TUNNEL_TRIED_AGAIN_MS * US_PER_MS;
    this.#refusal = failure;
    this.#isTunnelled = true;
    return failure;
  }

  #onLost(ended: RtspFailure, lastedUs: number): void {
    const failure = this.#chooseWay(ended);
    const { stream, clock, random } = this.#options;
    const wasStable = this.#publishing && lastedUs >= STABLE_SESSION_MS * US_PER_MS;
    this.#failures = wasStable ? 1 : this.#failures + 1;
    const nowUs = clock.monotonicUs();
    if (this.#publishing || isAway(failure.kind)) this.#awayUs = nowUs;
    const booting = nowUs - this.#awayUs < BOOT_MS_MAX * US_PER_MS;
    // The gate decides when a refused password is tried again.
    const hasGate = this.#options.loginGate !== undefined && this.#credentials !== undefined;
    const isGated = hasGate && isRefusal(failure);
    const kind = isGated ? "closed" : failure.kind;
    const delayMs = retryDelayMs(kind, this.#failures, random, booting);
    this.#notBeforeUs = nowUs + delayMs * US_PER_MS;
    const lostCause = causeOf(failure.kind, this.#publishing);
    this.#publishing = false;
    this.#keyUs = undefined;
    this.#lookAtSilence(failure, lastedUs);
    if (failure.kind === "no-data" || failure.kind === "transport") this.#tryOtherTransport();
    const cause = failure.cause === undefined ? {} : { cause: errorText(failure.cause) };
    const fields = {
      kind: failure.kind,
      lostCause,
      failures: this.#failures,
      delayMs: Math.round(delayMs),
      ...cause,
    };
    // Warned once for each reason: an absent camera is tried every two seconds, for weeks.
    this.#log[failure.message === this.#lastReason ? "debug" : "warn"](fields, failure.message);
    this.#lastReason = failure.message;
    stream.setState({ state: "lost", reason: failure.message, cause: lostCause });
  }

  #lookAtSilence({ kind }: RtspFailure, lastedUs: number): void {
    if (kind === "no-data") this.#patience.sentNothing();
    else if (kind === "stalled" || kind === "no-frames") this.#patience.fellSilent(lastedUs);
  }

  #tryOtherTransport(): void {
    const [first, ...others] = this.#transports;
    if (first !== undefined) this.#transports = [...others, first];
  }

  /** Resolves at the monotonic time, or as soon as the source is stopped. */
  #sleepUntil(timeUs: number): Promise<void> {
    const { clock } = this.#options;
    const delayMs = Math.ceil((timeUs - clock.monotonicUs()) / US_PER_MS);
    if (delayMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer: ClockTimer = clock.setTimeout(() => this.#wake?.(), delayMs);
      this.#wake = () => {
        timer.clear();
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

function withDiscontinuity(frame: Frame): Frame {
  const { format, decodeTimeUs, presentationOffsetUs, key, damaged, undecodable, ranges } = frame;
  const marked = new Frame({
    format,
    decodeTimeUs,
    presentationOffsetUs,
    key,
    damaged,
    undecodable,
    ranges,
    discontinuity: true,
  });
  frame.release();
  return marked;
}
