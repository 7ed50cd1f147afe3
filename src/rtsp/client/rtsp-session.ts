import { randomBytes } from "node:crypto";
import { attentiveUs, endsWithin, errorText, NvrdError, US_PER_MS } from "../../base/index.js";
import { codecName, type Frame, type StreamClock } from "../../live/index.js";
import type { MediaTrack } from "../depacketize/types.js";
import type { UnitLosses } from "../depacketize/unit-losses.js";
import { headerOf, type RtspResponse } from "../message/rtsp-message.js";
import { KeepAlive } from "./keep-alive.js";
import { FRAME_UNITS } from "./read-allowance.js";
import type { ReadTicker, TickMember } from "./read-ticker.js";
import { type DialogueOptions, RtspDialogue } from "./rtsp-dialogue.js";
import { RtspFailure, statusFailure } from "./rtsp-failure.js";
import type { SessionOffer } from "./sdp.js";
import {
  keepAliveMethods,
  parseRtpInfo,
  parseSessionHeader,
  parseTransportHeader,
  SESSION_TIMEOUT_S_DEFAULT,
} from "./session-headers.js";
import { SessionTrack } from "./session-track.js";
import {
  InterleavedTransport,
  type TrackTransport,
  type TransportKind,
  UdpTransport,
} from "./track-transport.js";

export interface SessionOptions extends DialogueOptions {
  /** In the order to try; the second if the response to the first is 461. */
  readonly transports: readonly TransportKind[];
  readonly wantAudio: boolean;
  readonly ticker: ReadTicker;
  readonly streamClock: StreamClock;
  /** The stream's losses; reported on the session's tick. */
  readonly losses: UnitLosses;
  /** 0 to 1, for the spread of reports in time. */
  readonly random: () => number;
  /** Takes over each frame with its lease. */
  publish(frame: Frame): void;
}

/**
 * Mean time between receiver reports, spread by half of it either way: at least 5 s (RFC 3550, 6.2), and within the 25 s after
 * which a sender may take a receiver for gone (6.3.5).
 */
export const REPORT_INTERVAL_MS = 10_000;
/**
 * A new session is read at once for this long: stream time is anchored to the true arrival of the first frames, not to
 * a read tick.
 */
export const READ_AT_ONCE_FIRST_MS = 1000;
/**
 * A session whose frames may wait is read on fewer ticks after this long of reading on each: by then TCP's window holds what comes
 * meanwhile.
 */
export const PATIENT_AFTER_MS = 10_000;
/** Most bytes of a camera that may wait for such a tick: one that sends more, or nothing at times, is read on each. */
export const WAITING_BYTES_MAX = 1024 * 1024;
const UNSUPPORTED_TRANSPORT = 461;
const SESSION_NOT_FOUND = 454;

/**
 * One session with a camera, from DESCRIBE to TEARDOWN. `open` sets it up; then the shared tick reads its socket, keeps
 * it alive, sends reports and checks that frames arrive. `onFailure` of the options is called once if it ends by
 * itself, not before `open` has resolved.
 */
export class RtspSession implements TickMember {
  readonly #options: SessionOptions;
  readonly #dialogue: RtspDialogue;
  readonly #tracks: SessionTrack[] = [];
  readonly #cname = `nvrd-${randomBytes(9).toString("base64url")}`;
  #sessionId: string | undefined;
  #timeoutS = SESSION_TIMEOUT_S_DEFAULT;
  #control = "";
  #keepAlive: KeepAlive | undefined;
  #reportDueUs = 0;
  #frameDeadlineUs = 0;
  #sawFrame = false;
  /** A frame came since the tick before. */
  #tickHadFrame = false;
  #atOnce = false;
  #isPatient = false;
  /** Until then it is read on each tick. */
  #promptUntilUs = 0;
  #pacedUs = 0;
  #tickBytes = 0;
  /** Monotonic end of reading at once because the session is new; undefined once it is past. */
  #newUntilUs: number | undefined = Number.POSITIVE_INFINITY;
  /** The failure, if it came before `open` could resolve: together with the response to PLAY. */
  #earlyFailure: RtspFailure | undefined;
  #state: "opening" | "open" | "closed" = "opening";

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#dialogue = new RtspDialogue({
      ...options,
      budget: options.ticker.budget,
      onFailure: (failure) => this.#end(failure),
    });
  }

  /** The camera took the login as a digest. */
  get tookDigest(): boolean {
    return this.#dialogue.tookDigest;
  }

  /** The camera sends sound in this session. */
  get hasSound(): boolean {
    return this.#tracks.length > 1;
  }

  /** The transport of the packets; undefined before SETUP. */
  get transport(): TransportKind | undefined {
    return this.#tracks[0]?.transport.kind;
  }

  /** RTP packets accepted in this session, of all tracks; 0 after its end. */
  get packets(): number {
    return this.#tracks.reduce((sum, track) => sum + track.receiver.statistics.packets, 0);
  }

  /** Resolves when the camera plays; rejects with RtspFailure. */
  async open(): Promise<void> {
    try {
      const offer = await this.#dialogue.describe();
      this.#earlyFailure = undefined;
      this.#control = offer.aggregateControl;
      await this.#setUp(this.#choose(offer));
      await this.#play();
      this.#live();
    } catch (error) {
      // Cameras serve few sessions: close the one that was set up.
      if (this.#sessionId !== undefined)
        this.#dialogue.abandon("TEARDOWN", this.#control, this.#sessionHeader);
      this.#shut();
      throw error;
    }
  }

  /** Reads at once (there are live viewers) or on the tick. UDP is always read at once. */
  setAtOnce(atOnce: boolean): void {
    this.#atOnce = atOnce;
    if (this.#state !== "open" || this.transport !== "tcp") return;
    this.#dialogue.connection.setAtOnce(atOnce || this.#newUntilUs !== undefined);
  }

  /** Whether its frames may wait for the archive's next batch: then it is read on fewer ticks. */
  setPatient(isPatient: boolean): void {
    this.#isPatient = isPatient;
    if (this.#state === "open" && !isPatient) this.#options.ticker.setPatient(this, false);
  }

  /** Ends the session in order: BYE, TEARDOWN, waiting at most `teardownMs` for its response. */
  async close(): Promise<void> {
    // Not within a packet's call: a sink may stop the source while it handles a frame.
    await Promise.resolve();
    if (this.#state === "closed") return;
    const wasOpen = this.#state === "open";
    this.#state = "closed";
    this.#options.ticker.remove(this);
    if (wasOpen) await this.#tearDown();
    else this.#abandonSession();
    this.#shut();
  }

  onTick(): boolean {
    const isReading = this.#dialogue.connection.beginRead();
    if (this.#state === "open") this.#doWhatIsDue();
    return isReading;
  }

  #doWhatIsDue(): void {
    const nowUs = this.#options.clock.monotonicUs();
    for (const track of this.#tracks) track.receiver.onTick(nowUs);
    if (this.#newUntilUs !== undefined && nowUs >= this.#newUntilUs) {
      this.#newUntilUs = undefined;
      this.setAtOnce(this.#atOnce);
    }
    this.#pace(nowUs);
    this.#options.losses.onTick(nowUs);
    this.#dialogue.connection.allowance.tell(nowUs, this.#options.log);
    this.#keepAlive?.onTick(nowUs);
    if (nowUs >= this.#reportDueUs) this.#report(nowUs, false);
    if (this.#tickHadFrame) {
      this.#tickHadFrame = false;
      this.#setFrameDeadline(this.#options.timeouts.frameProgressMs);
    } else if (attentiveUs(this.#options.clock) >= this.#frameDeadlineUs) this.#end(this.#noFrames());
  }

  /** What a held main thread has not read is not the camera's fault. */
  #setFrameDeadline(ms: number): void {
    this.#frameDeadlineUs = attentiveUs(this.#options.clock) + ms * US_PER_MS;
  }

  /** Decides on which ticks it is read, by what came since the last one. */
  #pace(nowUs: number): void {
    const { ticker } = this.#options;
    // One that has just changed its tick may be served by both.
    const passedUs = nowUs - this.#pacedUs;
    if (passedUs < (ticker.periodMs * US_PER_MS) / 2) return;
    this.#pacedUs = nowUs;
    const { receivedBytes, readsOnTicks } = this.#dialogue.connection;
    const bytes = receivedBytes - this.#tickBytes;
    this.#tickBytes = receivedBytes;
    const wouldWait = (bytes * ticker.patientMs * US_PER_MS) / passedUs;
    if (bytes === 0 || wouldWait > WAITING_BYTES_MAX)
      this.#promptUntilUs = nowUs + PATIENT_AFTER_MS * US_PER_MS;
    const isPatient = this.#isPatient && readsOnTicks && nowUs >= this.#promptUntilUs;
    ticker.setPatient(this, isPatient);
  }

  onTickEnd(): void {
    if (this.#state === "open") this.#dialogue.connection.endRead();
  }

  /** The first supported video track and, if wanted, audio track. */
  #choose(offer: SessionOffer): MediaTrack[] {
    const video = offer.tracks.find((track) => track.kind === "video");
    const audio = offer.tracks.find((track) => track.kind === "audio");
    if (offer.unsupported.length > 0)
      this.#options.log.debug({ tracks: offer.unsupported }, "unsupported tracks of the camera");
    if (video === undefined) {
      const offered =
        offer.unsupported.length > 0 ? `offers ${offer.unsupported.join("; ")}` : "offers no video";
      throw new RtspFailure("unsupported", `the camera ${offered}: set it to H.264, H.265, MPEG-4 or MJPEG`);
    }
    return audio !== undefined && this.#options.wantAudio ? [video, audio] : [video];
  }

  async #setUp(tracks: readonly MediaTrack[]): Promise<void> {
    for (const kind of this.#options.transports) {
      if (await this.#setUpOver(kind, tracks)) return;
      this.#options.log.info({ transport: kind }, "camera does not offer this transport");
    }
    const tried = this.#options.transports.join(" nor ").toUpperCase();
    throw new RtspFailure("transport", `the camera sends neither over ${tried}: choose another transport`);
  }

  /** False when the camera does not offer the transport. */
  async #setUpOver(kind: TransportKind, tracks: readonly MediaTrack[]): Promise<boolean> {
    for (const [index, track] of tracks.entries()) {
      const transport = await this.#transport(kind, index);
      let response: RtspResponse;
      try {
        response = await this.#request("SETUP", track.control, { Transport: transport.request });
        if (response.status === 200) this.#addTrack(track, transport, response);
      } catch (error) {
        transport.close();
        if (index === 0 || !(error instanceof NvrdError) || this.#state === "closed") throw asFailure(error);
        this.#options.log.warn(
          { track: codecName(track.codec), error: errorText(error) },
          "audio is not received",
        );
        continue;
      }
      if (response.status === 200) continue;
      transport.close();
      if (index > 0) this.#options.log.warn({ status: response.status }, "camera refuses audio: video only");
      else if (response.status === UNSUPPORTED_TRANSPORT) return false;
      else throw statusFailure(response.status, response.reason, "SETUP");
    }
    return true;
  }

  async #transport(kind: TransportKind, index: number): Promise<TrackTransport> {
    const { connection } = this.#dialogue;
    if (kind === "tcp") return new InterleavedTransport(connection, index);
    const { dialer, clock, log } = this.#options;
    const { remoteAddress, allowance } = connection;
    return await UdpTransport.open({
      dialer,
      clock,
      log,
      remoteAddress,
      allowance,
      onFailure: (failure) => this.#end(failure),
    });
  }

  #addTrack(track: MediaTrack, transport: TrackTransport, response: RtspResponse): void {
    const session = parseSessionHeader(headerOf(response, "session") ?? "");
    if (session !== undefined) {
      this.#sessionId = session.id;
      this.#timeoutS = session.timeoutS;
    }
    const header = headerOf(response, "transport");
    const { pool, clock, log, streamClock, losses } = this.#options;
    this.#tracks.push(
      new SessionTrack({
        track,
        transport,
        answer: header === undefined ? undefined : parseTransportHeader(header),
        memory:
          transport.kind === "tcp" && this.#tracks.length === 0 ? this.#dialogue.connection.window : pool,
        clock,
        log,
        streamClock,
        losses,
        publish: (frame) => this.#publish(frame),
        onGoodbye: () => this.#end(new RtspFailure("closed", "the camera ended the stream")),
      }),
    );
  }

  async #play(): Promise<void> {
    let response = await this.#request("PLAY", this.#control, { Range: "npt=0.000-" });
    // 454 means that the session is gone; any other error may be due to Range, which live sources need not support.
    if (response.status >= 400 && response.status !== SESSION_NOT_FOUND) {
      response = await this.#request("PLAY", this.#control, {});
    }
    if (response.status !== 200) throw statusFailure(response.status, response.reason, "PLAY");
    const info = parseRtpInfo(headerOf(response, "rtp-info") ?? "");
    this.#options.log.debug({ streams: info.length, transport: this.transport }, "camera plays");
  }

  #live(): void {
    if (this.#state === "closed") throw new RtspFailure("stopped", "the source was stopped");
    if (this.#earlyFailure !== undefined) throw this.#earlyFailure;
    const nowUs = this.#options.clock.monotonicUs();
    this.#state = "open";
    this.#keepAlive = new KeepAlive({
      methods: keepAliveMethods(this.#dialogue.methods),
      timeoutS: this.#timeoutS,
      startUs: nowUs,
      log: this.#options.log,
      send: (method) => this.#request(method, this.#control, {}),
      onLost: (failure) => this.#end(failure),
    });
    this.#reportDueUs = nowUs + this.#reportDelayUs();
    this.#promptUntilUs = nowUs + PATIENT_AFTER_MS * US_PER_MS;
    this.#setFrameDeadline(this.#options.timeouts.firstFrameMs);
    this.setAtOnce(this.#atOnce);
    this.#options.ticker.add(this);
  }

  #request(method: string, uri: string, headers: Readonly<Record<string, string>>): Promise<RtspResponse> {
    return this.#dialogue.send(method, uri, { ...headers, ...this.#sessionHeader });
  }

  get #sessionHeader(): Readonly<Record<string, string>> {
    return this.#sessionId === undefined ? {} : { Session: this.#sessionId };
  }

  #publish(frame: Frame): void {
    if (!this.#sawFrame) {
      this.#sawFrame = true;
      this.#newUntilUs = this.#options.clock.monotonicUs() + READ_AT_ONCE_FIRST_MS * US_PER_MS;
    }
    this.#tickHadFrame = true;
    this.#dialogue.connection.allowance.spend(FRAME_UNITS);
    this.#options.publish(frame);
  }

  #noFrames(): RtspFailure {
    const { firstFrameMs, frameProgressMs } = this.#options.timeouts;
    if (this.#sawFrame)
      return new RtspFailure("stalled", `no frames from the camera for ${frameProgressMs / 1000} s`);
    const what = this.packets > 0 ? "no whole frame" : "no data";
    return new RtspFailure("no-frames", `the camera plays, but ${what} came within ${firstFrameMs / 1000} s`);
  }

  #reportDelayUs(): number {
    return REPORT_INTERVAL_MS * US_PER_MS * (0.5 + this.#options.random());
  }

  #report(nowUs: number, leaving: boolean): void {
    this.#reportDueUs = nowUs + this.#reportDelayUs();
    for (const track of this.#tracks) track.sendReport(this.#cname, leaving);
  }

  async #tearDown(): Promise<void> {
    this.#report(this.#options.clock.monotonicUs(), true);
    for (const track of this.#tracks) track.receiver.flush();
    const { connection } = this.#dialogue;
    connection.setAtOnce(true);
    const answer = this.#request("TEARDOWN", this.#control, {}).then(
      () => undefined,
      // The session is over either way: closing the connection ends it too.
      (error: unknown) => this.#options.log.debug({ error: errorText(error) }, "TEARDOWN not answered"),
    );
    const { clock, timeouts } = this.#options;
    await endsWithin(answer, { clock, ms: timeouts.teardownMs });
  }

  /** Handles an end of the session other than by `close`. */
  #end(failure: RtspFailure): void {
    if (this.#state === "opening") this.#earlyFailure ??= failure;
    if (this.#state !== "open") return;
    this.#state = "closed";
    this.#options.ticker.remove(this);
    if (failure.kind !== "closed") this.#abandonSession();
    this.#shut();
    this.#options.onFailure(failure);
  }

  /** Cameras serve few sessions: a session that is given up is closed, without waiting for the response. */
  #abandonSession(): void {
    if (this.#sessionId !== undefined) this.#dialogue.abandon("TEARDOWN", this.#control, this.#sessionHeader);
  }

  #shut(): void {
    this.#state = "closed";
    for (const track of this.#tracks.splice(0)) {
      const { statistics } = track.receiver;
      this.#options.log.debug({ codec: codecName(track.receiver.track.codec), statistics }, "track ends");
      track.close();
    }
    this.#dialogue.logCounters();
    this.#dialogue.close();
  }
}

/** Track parameters that nvrd does not support are due to the camera's settings, not to a bug. */
function asFailure(error: unknown): unknown {
  if (!(error instanceof NvrdError) || error instanceof RtspFailure) return error;
  return new RtspFailure("unsupported", `the camera's video is not supported: ${error.message}`, {
    cause: error,
  });
}
