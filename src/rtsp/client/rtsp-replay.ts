import { type ClockTimer, errorText, NvrdError, US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { Frame } from "../../live/index.js";
import { UnitLosses } from "../depacketize/unit-losses.js";
import { formatClockTime } from "../message/clock-time.js";
import { headerOf, isSuccess, type RtspResponse } from "../message/rtsp-message.js";
import { ReplayTimes } from "../rtp/replay-times.js";
import type { MediaTrack } from "../rtp/types.js";
import { ControlTries } from "./control-tries.js";
import { type DialogueOptions, RtspDialogue } from "./rtsp-dialogue.js";
import { RtspFailure, statusFailure } from "./rtsp-failure.js";
import type { SessionOffer } from "./sdp/sdp.js";
import { parseSessionHeader, parseTransportHeader, SESSION_TIMEOUT_S_DEFAULT } from "./session-headers.js";
import { SessionTrack } from "./session-track.js";
import { protectedTransport } from "./socket/srtp-transport.js";
import { InterleavedTransport, type TrackTransport } from "./track-transport.js";

/** What a client of a recording must say on SETUP and PLAY (ONVIF Streaming Specification, 6.2). */
const REPLAY = { Require: "onvif-replay" };
/** Frames that wait for their reader; with more, nothing is read from the camera. */
const QUEUE_BYTES_MAX = 2 * 1024 * 1024;
const QUEUE_FRAMES_MAX = 1024;
/** How often parts that depend on time are looked at. */
const TICK_MS = 200;
/** What may be fetched at once before the bound on the rate holds: one second of it. */
const BURST_S = 1;

interface ReplayOptions extends Omit<DialogueOptions, "onFailure"> {
  /** By the camera's clock, Unix microseconds. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly wantAudio: boolean;
  /** Bytes a second; infinite: as fast as the camera sends and the reader takes it. */
  readonly bytesPerSecondMax: number;
  /** How long the camera may send nothing while it is read. */
  readonly stallMs: number;
  /** Closes it. */
  readonly signal: AbortSignal;
}

/**
 * Plays a stretch of what a camera recorded (ONVIF Profile G): over TCP, as fast as its reader takes it, with the times that the
 * packets carry. Frames are pulled; what is not pulled is left at the camera.
 */
export class RtspReplay {
  readonly #options: ReplayOptions;
  readonly #dialogue: RtspDialogue;
  readonly #tracks: SessionTrack[] = [];
  readonly #losses: UnitLosses;
  #sessionId: string | undefined;
  #timeoutS = SESSION_TIMEOUT_S_DEFAULT;
  #control = "";
  readonly #controlTries = new ControlTries();
  #queue: Frame[] = [];
  #queuedBytes = 0;
  #waiting: { resolve(): void } | undefined;
  #failure: RtspFailure | undefined;
  #isOver = false;
  #isClosed = false;
  #isReading = true;
  #startedUs = 0;
  #heardUs = 0;
  #keptAliveUs = 0;
  #timer: ClockTimer | undefined;
  readonly #onAbort = (): void => this.close();

  constructor(options: ReplayOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#losses = new UnitLosses(options.log);
    this.#dialogue = new RtspDialogue({ ...options, onFailure: (failure) => this.#end(failure) });
  }

  /** Bytes that came from the camera. */
  get receivedBytes(): number {
    return this.#isClosed || this.#startedUs === 0 ? 0 : this.#dialogue.connection.receivedBytes;
  }

  /** Resolves when the camera plays; rejects with RtspFailure. */
  async open(): Promise<void> {
    try {
      await this.#controlTries.open(
        () => this.#start(),
        () => this.#startOver(),
      );
    } catch (error) {
      this.close();
      if (error instanceof NvrdError && !(error instanceof RtspFailure))
        throw new RtspFailure("unsupported", `the recording is not supported: ${error.message}`, {
          cause: error,
        });
      throw error;
    }
  }

  async #start(): Promise<void> {
    const offer = await this.#dialogue.describe();
    this.#failure = undefined;
    this.#isOver = this.#isClosed;
    this.#control = offer.aggregateControl;
    await this.#setUp(offer);
    await this.#play(offer);
  }

  /** The camera hung up at one reading of its description. */
  #startOver(): void {
    for (const track of this.#tracks.splice(0)) track.close();
    for (const frame of this.#queue.splice(0)) frame.release();
    this.#queuedBytes = 0;
    this.#sessionId = undefined;
    this.#startedUs = 0;
  }

  /**
   * The next frames in decode order, with a lease each for the caller; none when the camera has sent the stretch to its end.
   * Rejects with RtspFailure, "stalled" where the camera sends nothing for `stallMs`. One call at a time.
   */
  async next(): Promise<readonly Frame[]> {
    if (this.#queue.length === 0 && !this.#isOver) {
      this.#read(true);
      await new Promise<void>((resolve) => {
        this.#waiting = { resolve };
      });
    }
    const frames = this.#queue;
    this.#queue = [];
    this.#queuedBytes = 0;
    if (frames.length === 0 && this.#failure !== undefined) throw this.#failure;
    return frames;
  }

  /** Ends the session. May be called repeatedly. */
  close(): void {
    if (this.#isClosed) return;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#timer?.clear();
    this.#isOver = true;
    if (this.#sessionId !== undefined) this.#dialogue.abandon("TEARDOWN", this.#control, this.#sessionHeader);
    this.#isClosed = true;
    for (const track of this.#tracks.splice(0)) track.close();
    for (const frame of this.#queue.splice(0)) frame.release();
    this.#dialogue.close();
    this.#waiting?.resolve();
  }

  async #setUp({ tracks, unsupported }: SessionOffer): Promise<void> {
    const video = tracks.find((track) => track.kind === "video");
    if (video === undefined)
      throw new RtspFailure("unsupported", `the recording has ${unsupported.join("; ") || "no video"}`);
    const audio = this.#options.wantAudio ? tracks.find((track) => track.kind === "audio") : undefined;
    await this.#setUpTrack(video, 0);
    if (audio === undefined) return;
    try {
      await this.#setUpTrack(audio, 1);
    } catch (error) {
      if (!(error instanceof RtspFailure) || error.kind !== "rejected") throw error;
      this.#options.log.info("the camera refuses the recording's sound: video only");
    }
  }

  async #setUpTrack(track: MediaTrack, index: number): Promise<void> {
    const { clock, log, pool } = this.#options;
    const { connection } = this.#dialogue;
    const plain = new InterleavedTransport(connection, index);
    const inner = protectedTransport(plain, { track, isSecure: connection.isSecure, log });
    const response = await this.#controlTries.ask("SETUP", track.controls ?? [track.control], (url) =>
      this.#request("SETUP", url, { ...REPLAY, Transport: inner.request }),
    );
    if (!isSuccess(response.status)) throw statusFailure(response.status, response.reason, "SETUP");
    const session = parseSessionHeader(headerOf(response, "session") ?? "");
    if (session !== undefined) {
      this.#sessionId = session.id;
      this.#timeoutS = session.timeoutS;
    }
    const times = new ReplayTimes();
    const answer = headerOf(response, "transport");
    this.#tracks.push(
      new SessionTrack({
        ...{ track, clock, log, streamClock: times, losses: this.#losses },
        transport: lookingAt(inner, times),
        answer: answer === undefined ? undefined : parseTransportHeader(answer),
        memory: index === 0 ? connection.window : pool,
        publish: (frame) => this.#take(frame),
        onGoodbye: (receiver) => {
          receiver.flush();
          if (track.kind === "video") this.#end(undefined);
        },
      }),
    );
  }

  async #play({ aggregateControls }: SessionOffer): Promise<void> {
    const { fromUs, toUs, clock, log } = this.#options;
    // From here on frames may come, before the answer too.
    this.#startedUs = clock.monotonicUs();
    this.#heardUs = this.#startedUs;
    this.#keptAliveUs = this.#startedUs;
    const range = `clock=${formatClockTime(fromUs)}-${formatClockTime(toUs)}`;
    const headers = { ...REPLAY, Range: range, "Rate-Control": "no", Immediate: "yes" };
    const response = await this.#controlTries.ask("PLAY", aggregateControls, (url) => {
      this.#control = url;
      return this.#request("PLAY", url, headers);
    });
    if (!isSuccess(response.status)) throw statusFailure(response.status, response.reason, "PLAY");
    log.debug({ range: headerOf(response, "range") ?? "" }, "camera plays its recording");
    this.#timer = clock.setInterval(() => this.#tick(), TICK_MS);
  }

  #request(method: string, uri: string, headers: Readonly<Record<string, string>>): Promise<RtspResponse> {
    return this.#dialogue.send(method, uri, { ...headers, ...this.#sessionHeader });
  }

  get #sessionHeader(): Readonly<Record<string, string>> {
    return this.#sessionId === undefined ? {} : { Session: this.#sessionId };
  }

  #take(frame: Frame): void {
    if (this.#isOver) {
      frame.release();
      return;
    }
    this.#heardUs = this.#options.clock.monotonicUs();
    this.#queue.push(frame);
    this.#queuedBytes += frame.byteLength;
    this.#waiting?.resolve();
    this.#waiting = undefined;
    this.#steer();
  }

  /** Reads from the camera, or leaves what comes to its side of the connection. */
  #steer(): void {
    const isFull = this.#queuedBytes > QUEUE_BYTES_MAX || this.#queue.length > QUEUE_FRAMES_MAX;
    this.#read(!isFull && this.receivedBytes <= this.#allowedBytes);
  }

  get #allowedBytes(): number {
    const { bytesPerSecondMax, clock } = this.#options;
    const passedS = (clock.monotonicUs() - this.#startedUs) / US_PER_SECOND;
    return bytesPerSecondMax * (passedS + BURST_S);
  }

  #read(on: boolean): void {
    if (this.#isReading === on || this.#isClosed) return;
    if (on && this.receivedBytes > this.#allowedBytes) return;
    this.#isReading = on;
    this.#heardUs = this.#options.clock.monotonicUs();
    this.#dialogue.connection.setAtOnce(on);
  }

  #tick(): void {
    const { clock, stallMs, log } = this.#options;
    if (this.#isClosed) return;
    const nowUs = clock.monotonicUs();
    this.#steer();
    this.#dialogue.connection.allowance.logFlood(nowUs, log);
    if (this.#isReading) {
      for (const track of this.#tracks) track.receiver.onTick(nowUs);
      if (nowUs - this.#heardUs > stallMs * US_PER_MS)
        this.#end(
          new RtspFailure("stalled", `the camera sent nothing of its recording for ${stallMs / 1000} s`),
        );
    }
    this.#keepAlive(nowUs);
  }

  /** A session that is paused by us is to outlast the pause; its answer may wait as long. */
  #keepAlive(nowUs: number): void {
    if (nowUs - this.#keptAliveUs < (this.#timeoutS * US_PER_SECOND) / 2) return;
    this.#keptAliveUs = nowUs;
    this.#request("OPTIONS", this.#control, {}).catch((error: unknown) =>
      // A camera that is gone is known by its silence.
      this.#options.log.debug({ error: errorText(error) }, "keep-alive of a replay not answered"),
    );
  }

  #end(failure: RtspFailure | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#timer?.clear();
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}

/** A transport whose RTP packets are looked at for their times, before they are taken apart. */
function lookingAt(inner: TrackTransport, times: ReplayTimes): TrackTransport {
  return {
    kind: inner.kind,
    request: inner.request,
    accept: (answer, { rtp, rtcp }) => {
      const looked = {
        receive: (buffer: Buffer, start: number, end: number) => {
          times.newest.look(buffer, start, end);
          rtp.receive(buffer, start, end);
        },
      };
      inner.accept(answer, { rtp: looked, rtcp });
    },
    sendRtcp: (packet) => inner.sendRtcp(packet),
    sendRtp: (packet) => inner.sendRtp(packet),
    close: () => inner.close(),
  };
}
