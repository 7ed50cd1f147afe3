import { randomBytes } from "node:crypto";
import {
  attentiveUs,
  type ClockTimer,
  endsWithin,
  errorText,
  InvariantError,
  NvrdError,
  US_PER_MS,
} from "../../base/index.js";
import { codecName, type Frame, FramesInDoubt, type StreamClock } from "../../live/index.js";
import type { UnitLosses } from "../depacketize/unit-losses.js";
import { headerOf, isSuccess, type RtspResponse } from "../message/rtsp-message.js";
import { SessionNumbers } from "../rtp/number-reading.js";
import type { MediaTrack } from "../rtp/types.js";
import { ControlTries } from "./control-tries.js";
import { Goodbye } from "./goodbye.js";
import { KeepAlive, type KeepAliveManners } from "./keep-alive.js";
import { KeyRequests } from "./key-requests.js";
import { LossWatch } from "./loss-watch.js";
import { FRAME_UNITS } from "./read-allowance.js";
import type { ReadTicker, TickMember } from "./read-ticker.js";
import { type DialogueOptions, RtspDialogue } from "./rtsp-dialogue.js";
import { RtspFailure, statusFailure, unexpectedFailure } from "./rtsp-failure.js";
import type { SessionOffer } from "./sdp/sdp.js";
import { keepAliveMethods, parseRtpInfo, parseTransportHeader } from "./session-headers.js";
import { SessionNames } from "./session-names.js";
import { SessionTrack } from "./session-track.js";
import { protectedTransport, usableTransports } from "./socket/srtp-transport.js";
import { type LifeSigns, type Patience, StreamLife } from "./stream-life.js";
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
  /** How far apart the camera's key frames are, where that is known. */
  readonly keyIntervalUs: number | undefined;
  /** What is known of the camera from sessions before. */
  readonly patience: Patience;
  readonly manners: KeepAliveManners;
  /** A key frame is wanted, and the camera is asked for it: it may be asked by other ways too. Its rate is bounded. */
  onKeyWanted(): void;
  /** Called once when packets have come for some seconds, and no picture could be made of them yet. */
  onWaiting(): void;
  /** 0 to 1, for the spread of reports in time. */
  readonly random: () => number;
  /** Takes over each frame with its lease. */
  publish(frame: Frame): void;
}

/**
 * Mean time between receiver reports, spread by a fifth of it either way. RFC 3550 (6.2) has 5 s, or less where the bandwidth allows
 * for it, as it does here; some cameras hang up after 5 s without one. The first is sent on the session's first tick.
 */
export const REPORT_INTERVAL_MS = 2500;
const REPORT_SPREAD = 0.2;
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
/** After so long without an answer to PLAY packets are the answer. */
const PLAY_UNANSWERED_MS = 2000;
const SESSION_NOT_FOUND = 454;

/** Failures after which another track of pictures may do. */
const OF_ONE_TRACK: ReadonlySet<RtspFailure["kind"]> = new Set(["unsupported", "transport", "rejected"]);

/** Tracks in the order in which they are tried: one of each kind is received. */
interface Candidates {
  readonly video: readonly MediaTrack[];
  readonly audio: readonly MediaTrack[];
}

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
  /** Of all tracks of the session: some cameras send them on one channel. */
  #payloadTypes: ReadonlySet<number> = new Set();
  readonly #names: SessionNames;
  #control = "";
  readonly #controlTries = new ControlTries();
  /** Tracks that the camera has set up, each with channels of its own; some may be unusable. */
  #setUps = 0;
  #keepAlive: KeepAlive | undefined;
  #reportDueUs = 0;
  readonly #life: StreamLife;
  readonly #signs: { -readonly [Name in keyof LifeSigns]: number } = { videoPackets: 0, all: 0 };
  #isWaitReported = false;
  readonly #keyRequests: KeyRequests;
  #lossWatch: LossWatch | undefined;
  readonly #goodbye = new Goodbye();
  readonly #numbers = new SessionNumbers();
  readonly #doubtful = new FramesInDoubt((frame) => this.#publish(frame));
  #sawFrame = false;
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
    const { timeouts, patience } = options;
    this.#life = new StreamLife({
      timeouts,
      patience,
      ask: () => this.#keepAlive?.ask(options.clock.monotonicUs()),
    });
    this.#keyRequests = new KeyRequests(() => {
      this.#tracks[0]?.askForKey(this.#cname);
      options.onKeyWanted();
    });
    this.#dialogue = new RtspDialogue({
      ...options,
      budget: options.ticker.budget,
      onFailure: (failure) => this.#end(failure),
    });
    this.#names = new SessionNames({
      log: options.log,
      send: (method, url, session) => this.#dialogue.send(method, url, { Session: session }),
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
      await this.#controlTries.open(
        () => this.#start(),
        () => this.#startOver(),
      );
      this.#live();
    } catch (error) {
      // Cameras serve few sessions: close the one that was set up.
      this.#abandonSession();
      this.#shut();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const offer = await this.#dialogue.describe();
    this.#earlyFailure = undefined;
    this.#names.hear(this.#dialogue.sessionHeader);
    this.#control = offer.aggregateControl;
    const candidates = this.#choose(offer);
    this.#payloadTypes = new Set(
      [...candidates.video, ...candidates.audio].map(({ payloadType }) => payloadType),
    );
    await this.#setUp(candidates);
    await this.#play(offer);
  }

  #startOver(): void {
    this.#options.log.info("camera hangs up at a control URL of its description: trying another reading");
    for (const track of this.#tracks.splice(0)) track.close();
    this.#names.forget();
    this.#setUps = 0;
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
    if (this.#state !== "open") return isReading;
    try {
      this.#doWhatIsDue();
    } catch (error) {
      // A bug in nvrd ends this session: the others of the tick have their turn.
      this.#end(unexpectedFailure("the camera", error));
    }
    return isReading;
  }

  #doWhatIsDue(): void {
    const nowUs = this.#options.clock.monotonicUs();
    for (const track of this.#tracks) track.receiver.onTick(nowUs);
    this.#doubtful.onTick(nowUs);
    if (this.#newUntilUs !== undefined && nowUs >= this.#newUntilUs) {
      this.#newUntilUs = undefined;
      this.setAtOnce(this.#atOnce);
    }
    this.#pace(nowUs);
    this.#lossWatch?.onTick(nowUs);
    this.#options.losses.onTick(nowUs);
    this.#dialogue.connection.allowance.logFlood(nowUs, this.#options.log);
    this.#keepAlive?.onTick(nowUs);
    this.#names.onTick(nowUs);
    if (nowUs >= this.#reportDueUs) this.#report(nowUs, false);
    this.#supervise(nowUs);
  }

  /** What a held main thread has not read is not the camera's fault. */
  #supervise(nowUs: number): void {
    if (this.#state !== "open") return;
    const signs = this.#lifeSigns();
    this.#keyRequests.onTick(nowUs, signs.videoPackets > 0);
    const attentive = attentiveUs(this.#options.clock);
    const hasEnded = this.#goodbye.isEnd(attentive, this.#life.newestGapUs);
    const failure = hasEnded ? endedStream() : this.#life.look(attentive, signs);
    if (failure !== undefined) this.#end(this.#explained(failure));
    else if (!this.#isWaitReported && this.#life.isWaiting(attentive)) {
      this.#isWaitReported = true;
      this.#options.onWaiting();
    }
  }

  /** Where no picture came: what the transport knows of the reason. */
  #explained(failure: RtspFailure): RtspFailure {
    const trouble = this.#tracks.find(({ transport }) => transport.trouble !== undefined)?.transport.trouble;
    const isPictureless = failure.kind === "no-frames" || failure.kind === "no-data";
    if (!isPictureless || trouble === undefined) return failure;
    return new RtspFailure("no-frames", `the camera plays, but ${trouble}`);
  }

  #lifeSigns(): LifeSigns {
    const signs = this.#signs;
    signs.videoPackets = 0;
    signs.all = this.#dialogue.connection.receivedBytes;
    for (const { receiver, reports } of this.#tracks) {
      if (receiver.track.kind === "video") signs.videoPackets += receiver.packets;
      signs.all += receiver.packets + reports;
    }
    return signs;
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

  /** The supported tracks of pictures and, if wanted, of sound, in the order in which they are tried. */
  #choose(offer: SessionOffer): Candidates {
    const video = offer.tracks.filter((track) => track.kind === "video");
    const audio = offer.tracks.filter((track) => track.kind === "audio" && this.#options.wantAudio);
    if (video.length === 0) {
      const offered =
        offer.unsupported.length > 0 ? `offers ${offer.unsupported.join("; ")}` : "offers no video";
      const advice = offer.isLocked
        ? "switch SRTP off in the camera, RTSPS alone encrypts too"
        : "set it to H.264, H.265, MPEG-4 or MJPEG";
      throw new RtspFailure("unsupported", `the camera ${offered}: ${advice}`);
    }
    this.#options.losses.losses.beginSession();
    this.#nameUnsupported(offer, { video, audio });
    return { video, audio };
  }

  /** Names what of the offer is left out. */
  #nameUnsupported({ unsupported }: SessionOffer, { video, audio }: Candidates): void {
    const { losses, wantAudio } = this.#options;
    const namesOf = (kind: "video" | "audio"): string[] =>
      unsupported.filter((name) => name.startsWith(`${kind} `)).map((name) => name.slice(kind.length + 1));
    const otherVideos = [...video.slice(1).map(({ codec }) => codecName(codec)), ...namesOf("video")];
    if (otherVideos.length > 0) losses.name("other-video", otherVideos.join("; "));
    const sounds = namesOf("audio");
    if (audio.length === 0 && wantAudio && sounds.length > 0)
      losses.name("sound-unsupported", sounds.join("; "));
  }

  async #setUp(candidates: Candidates): Promise<void> {
    const tracks = [...candidates.video, ...candidates.audio];
    const transports = usableTransports(this.#options.transports, this.#dialogue.connection, tracks);
    for (const kind of transports) {
      if (await this.#setUpOver(kind, candidates)) return;
      this.#options.log.info({ transport: kind }, "camera does not offer this transport");
    }
    const tried = transports.map((kind) => kind.toUpperCase()).join(" nor ");
    throw new RtspFailure("transport", `the camera sends neither over ${tried}: choose another transport`);
  }

  /** False when the camera does not offer the transport. */
  async #setUpOver(kind: TransportKind, { video, audio }: Candidates): Promise<boolean> {
    const refusals: unknown[] = [];
    for (const track of video) {
      const refusal = await this.#setUpTrack(kind, track);
      if (refusal === "other transport") return false;
      if (refusal !== undefined) refusals.push(refusal);
      else break;
    }
    if (this.#tracks.length === 0) throw refusals[0];
    await this.#setUpSound(kind, audio);
    return true;
  }

  /** The first that the camera sends; the last refusal is named if it sends none. */
  async #setUpSound(kind: TransportKind, audio: readonly MediaTrack[]): Promise<void> {
    for (const [index, track] of audio.entries()) {
      const refusal = await this.#setUpTrack(kind, track);
      if (refusal === undefined) return;
      if (index < audio.length - 1) continue;
      const isUnsupported = refusal !== "other transport" && refusal.kind === "unsupported";
      const why = refusal === "other transport" ? kind.toUpperCase() : errorText(refusal);
      const name = isUnsupported ? "sound-unsupported" : "sound-refused";
      this.#options.losses.name(name, `${codecName(track.codec)}: ${why}`);
    }
  }

  /** Undefined once the camera sends the track; why not, if another one may be tried instead. */
  async #setUpTrack(
    kind: TransportKind,
    track: MediaTrack,
  ): Promise<undefined | "other transport" | RtspFailure> {
    const transport = await this.#transport(kind, this.#setUps, track);
    try {
      const controls = track.controls ?? [track.control];
      const response = await this.#controlTries.ask(
        "SETUP",
        controls,
        (url) => this.#request("SETUP", url, { Transport: transport.request }),
        controls.filter((url) => url.endsWith("/")).map((url) => url.replace(/\/+$/, "")),
      );
      if (isSuccess(response.status)) {
        this.#setUps += 1;
        this.#addTrack(track, transport, response);
        return undefined;
      }
      transport.close();
      if (response.status === UNSUPPORTED_TRANSPORT) return "other transport";
      return statusFailure(response.status, response.reason, "SETUP");
    } catch (error) {
      transport.close();
      const failure = asFailure(error, track.kind);
      if (!(failure instanceof RtspFailure) || this.#state === "closed" || this.#controlTries.goesOn)
        throw failure;
      if (track.kind === "video" && !OF_ONE_TRACK.has(failure.kind)) throw failure;
      return failure;
    }
  }

  async #transport(kind: TransportKind, index: number, track: MediaTrack): Promise<TrackTransport> {
    const { isSecure } = this.#dialogue.connection;
    const inner = await this.#plainTransport(kind, index, track);
    return protectedTransport(inner, { track, isSecure, log: this.#options.log });
  }

  async #plainTransport(kind: TransportKind, index: number, track: MediaTrack): Promise<TrackTransport> {
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
      numbers: track.srtpKeys === undefined ? this.#numbers : undefined,
      payloadTypes: new Set([track, ...(track.alternatives ?? [])].map(({ payloadType }) => payloadType)),
      onFailure: (failure) => this.#end(failure),
    });
  }

  #addTrack(track: MediaTrack, transport: TrackTransport, response: RtspResponse): void {
    const header = headerOf(response, "transport");
    const { pool, clock, log, streamClock, losses } = this.#options;
    this.#tracks.push(
      new SessionTrack({
        track,
        payloadTypes: this.#payloadTypes,
        transport,
        answer: header === undefined ? undefined : parseTransportHeader(header),
        memory:
          transport.kind === "tcp" && this.#tracks.length === 0 ? this.#dialogue.connection.window : pool,
        clock,
        log,
        streamClock,
        losses,
        keyIntervalUs: this.#options.keyIntervalUs,
        publish: (frame, stamp) => this.#doubtful.take(frame, stamp, clock.monotonicUs()),
        toOthers: (buffer, start, end) => this.#offer(transport, buffer, start, end),
        onGoodbye: (receiver) => this.#goodbye.said(receiver, attentiveUs(clock)),
      }),
    );
    this.#nameSession(this.#tracks.at(-1), headerOf(response, "session"));
  }

  /** Offers the other tracks a packet that came by `transport`; undefined where it is of one that has it anyway, or there is none. */
  #offer(transport: TrackTransport, buffer: Buffer, start: number, end: number): boolean | undefined {
    let isRefused: false | undefined;
    for (const other of this.#tracks) {
      if (other.transport === transport) continue;
      if (transport.channel !== undefined && other.transport.channel === transport.channel) return undefined;
      if (other.receiveStray(buffer, start, end)) return true;
      isRefused = false;
    }
    return isRefused;
  }

  #nameSession(track: SessionTrack | undefined, header: string | undefined): void {
    const session = this.#names.hear(header);
    if (session === undefined || track === undefined) return;
    const { controls, control } = track.receiver.track;
    const url = this.#controlTries.of(controls ?? [control]);
    this.#names.addApart({ session, url, packets: () => track.receiver.packets });
  }

  async #play(offer: SessionOffer): Promise<void> {
    const play = (url: string, headers: Readonly<Record<string, string>>): Promise<RtspResponse> => {
      this.#control = url;
      return this.#playedBy(this.#request("PLAY", url, headers));
    };
    const urls = offer.aggregateControls;
    let response = await this.#controlTries.askOnce("PLAY", urls, (url) =>
      play(url, { Range: "npt=0.000-" }),
    );
    // 454 means that the session is gone; any other error may be due to Range, which live sources need not support.
    if (response.status >= 400 && response.status !== SESSION_NOT_FOUND) {
      const [first, ...others] = this.#tracks.map(({ receiver: { track } }) =>
        this.#controlTries.of(track.controls ?? [track.control]),
      );
      const alone = first === undefined ? [] : [first];
      response = await this.#controlTries.ask("PLAY", urls, (url) => play(url, {}), alone);
      const isByTrack = this.#control === first && !urls.includes(first);
      if (isSuccess(response.status) && isByTrack) for (const url of others) this.#playFurther(url);
    }
    if (!isSuccess(response.status)) throw statusFailure(response.status, response.reason, "PLAY");
    const info = parseRtpInfo(headerOf(response, "rtp-info") ?? "");
    this.#options.log.debug({ streams: info.length, transport: this.transport }, "camera plays");
  }

  /** The answer to PLAY, or that packets come and no answer: some cameras play, and never say so. */
  async #playedBy(answered: Promise<RtspResponse>): Promise<RtspResponse> {
    const { clock, log } = this.#options;
    let timer: ClockTimer | undefined;
    const looked = new Promise<RtspResponse>((resolve) => {
      timer = clock.setTimeout(() => {
        if (!this.#tracks.some(({ receiver }) => receiver.packets > 0)) return;
        log.debug("PLAY not answered: the camera plays");
        resolve({ kind: "response", status: 200, reason: "", headers: new Map(), body: Buffer.alloc(0) });
      }, PLAY_UNANSWERED_MS);
    });
    try {
      return await Promise.race([answered, looked]);
    } finally {
      timer?.clear();
    }
  }

  /** Some cameras play each track by its own address. One that does not come is named by the watch over losses. */
  #playFurther(url: string): void {
    const { log } = this.#options;
    this.#request("PLAY", url, {}).then(
      ({ status }) => log.debug({ status }, "request to play one track"),
      (error: unknown) => log.debug({ error: errorText(error) }, "request to play one track"),
    );
  }

  #live(): void {
    if (this.#state === "closed") throw new RtspFailure("stopped", "the source was stopped");
    if (this.#earlyFailure !== undefined) throw this.#earlyFailure;
    const nowUs = this.#options.clock.monotonicUs();
    this.#state = "open";
    const { manners } = this.#options;
    if (this.#dialogue.isOptionsRefused) manners.hungUp("OPTIONS");
    this.#keepAlive = new KeepAlive({
      methods: manners.bearable(keepAliveMethods(this.#dialogue.methods)),
      timeoutS: this.#names.timeoutS,
      startUs: nowUs,
      log: this.#options.log,
      send: (method, timeoutMs) => {
        this.#names.renew(method);
        return this.#request(method, this.#control, {}, timeoutMs);
      },
      onDropped: () => this.#life.dropped(attentiveUs(this.#options.clock)),
      onLost: (failure) => this.#end(failure),
    });
    this.#names.begin(nowUs);
    this.#life.begin(attentiveUs(this.#options.clock), this.#tracks[0]?.receiver.track.pictureGapUs);
    this.#lossWatch = new LossWatch(
      {
        losses: this.#options.losses,
        tracks: this.#tracks,
        strayPackets: () => this.#dialogue.connection.counters.unknownChannelPackets,
      },
      nowUs,
    );
    this.#reportDueUs = nowUs;
    this.#promptUntilUs = nowUs + PATIENT_AFTER_MS * US_PER_MS;
    this.setAtOnce(this.#atOnce);
    this.#options.ticker.add(this);
  }

  async #request(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
    timeoutMs?: number,
  ): Promise<RtspResponse> {
    const all = { ...headers, ...this.#names.header };
    const response = await this.#dialogue.send(method, uri, all, timeoutMs);
    if (method !== "SETUP" && isSuccess(response.status)) this.#names.hear(headerOf(response, "session"));
    return response;
  }

  #publish(frame: Frame): void {
    if (!this.#sawFrame) {
      this.#sawFrame = true;
      this.#newUntilUs = this.#options.clock.monotonicUs() + READ_AT_ONCE_FIRST_MS * US_PER_MS;
    }
    if (!frame.isAudio) {
      this.#life.onPicture(frame.decodeTimeUs, frame.discontinuity);
      this.#keyRequests.onPicture(frame);
    }
    this.#dialogue.connection.allowance.spend(FRAME_UNITS);
    this.#options.publish(frame);
  }

  #reportDelayUs(): number {
    return REPORT_INTERVAL_MS * US_PER_MS * (1 + REPORT_SPREAD * (2 * this.#options.random() - 1));
  }

  #report(nowUs: number, leaving: boolean): void {
    this.#reportDueUs = nowUs + this.#reportDelayUs();
    for (const track of this.#tracks) track.sendReport(this.#cname, leaving);
  }

  async #tearDown(): Promise<void> {
    this.#report(this.#options.clock.monotonicUs(), true);
    for (const track of this.#tracks) track.receiver.flush();
    this.#doubtful.release();
    const { connection } = this.#dialogue;
    connection.setAtOnce(true);
    this.#names.end();
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
    const isFault = failure.cause instanceof InvariantError;
    if (isFault && this.#state !== "closed") this.#countFault();
    if (this.#state === "opening") this.#earlyFailure ??= failure;
    if (this.#state !== "open") return;
    this.#state = "closed";
    this.#options.ticker.remove(this);
    if (!isFault) for (const { receiver } of this.#tracks) receiver.finishSilent();
    const saidGoodbye = isFault ? undefined : this.#goodbye.receiver;
    saidGoodbye?.flush();
    if (failure.kind === "closed") this.#options.manners.hungUp(this.#keepAlive?.unanswered);
    if (failure.kind !== "closed") this.#abandonSession();
    this.#shut();
    const isGoodbye = failure.kind === "closed" && saidGoodbye !== undefined;
    this.#options.onFailure(isGoodbye ? endedStream() : failure);
  }

  /** What is in progress is dropped with the session, as it may be wrong. Looked at here, since no tick follows. */
  #countFault(): void {
    const { losses, clock } = this.#options;
    losses.count("recorder-fault");
    losses.onTick(clock.monotonicUs());
  }

  /** Cameras serve few sessions: a session that is given up is closed, without waiting for the response. */
  #abandonSession(): void {
    if (this.#names.id !== undefined) this.#dialogue.abandon("TEARDOWN", this.#control, this.#names.header);
  }

  #shut(): void {
    this.#state = "closed";
    this.#doubtful.release();
    for (const track of this.#tracks.splice(0)) {
      const { statistics } = track.receiver;
      this.#options.log.debug({ codec: codecName(track.receiver.track.codec), statistics }, "track ends");
      track.close();
    }
    this.#dialogue.logCounters();
    this.#dialogue.close();
  }
}

function endedStream(): RtspFailure {
  return new RtspFailure("closed", "the camera ended the stream");
}

/** Track parameters that nvrd does not support are due to the camera's settings, not to a bug. */
function asFailure(error: unknown, kind: MediaTrack["kind"]): unknown {
  if (!(error instanceof NvrdError) || error instanceof RtspFailure) return error;
  return new RtspFailure("unsupported", `the camera's ${kind} is not supported: ${error.message}`, {
    cause: error,
  });
}
