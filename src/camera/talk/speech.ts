import { type Clock, type ClockTimer, errorText, type Log, NvrdError, US_PER_MS } from "../../base/index.js";
import type { G711Law } from "../../picture/index.js";
import type { BackChannel, RtspFailure } from "../../rtsp/index.js";
import { SILENCE, VOICE_RATE, type Voice } from "./voice.js";
import { VoiceQueue } from "./voice-queue.js";

/** What was said and waits to be sent: two seconds. */
export const WAITING_BYTES_MAX = 2 * VOICE_RATE;
/** A packet has 20 ms, as ONVIF's cameras expect (RFC 3551, 4.2). */
const PACKET_MS = 20;
const PACKET_SAMPLES = (VOICE_RATE * PACKET_MS) / 1000;
/** After silence so much is waited for, that a network's unevenness is not heard. */
const START_SAMPLES = 3 * PACKET_SAMPLES;
/** What could not be sent in time is left out beyond this, and not sent in one burst. */
const BEHIND_SAMPLES_MAX = 10 * PACKET_SAMPLES;
/** Silence after the last word, so that the camera plays what it has before the session ends. */
const TAIL_SAMPLES = 20 * PACKET_SAMPLES;
/** A speaker who says nothing for so long leaves the place to others. */
export const IDLE_MS_MAX = 10_000;
/** Longest speech. */
export const SPEECH_SECONDS_MAX = 600;
/** A connection that is lost while somebody speaks is opened again, so often in a row. */
const REOPENED_MAX = 3;
const REOPEN_MS = 500;
/** A connection that lasted so long was a good one: those that are lost after it are counted anew. */
const GOOD_CONNECTION_MS = 5_000;

/** A camera that listens. */
export interface TalkLine {
  readonly channel: Pick<BackChannel, "close">;
  readonly voice: Voice;
}

export interface SpeechEnd {
  /** Sound that was sent. */
  readonly seconds: number;
  /** Sound that was left out, because it came faster than it is spoken. */
  readonly droppedSeconds: number;
  /** Undefined: the speaker ended it. */
  readonly reason: NvrdError | undefined;
}

export interface SpeechOptions {
  readonly law: G711Law;
  /** Connects to the camera; calls `onLost` once when the camera goes. */
  readonly open: (onLost: (failure: RtspFailure) => void) => Promise<TalkLine>;
  readonly clock: Clock;
  readonly log: Log;
}

/** One speaker at one camera: sends what was said in real time, whatever the pace in which it came. */
export class Speech {
  readonly #options: SpeechOptions;
  readonly #queue = new VoiceQueue(WAITING_BYTES_MAX);
  readonly #roomListeners: (() => void)[] = [];
  #resolve: (end: SpeechEnd) => void = () => undefined;
  /** Resolves once, when the session with the camera is closed. */
  readonly ended = new Promise<SpeechEnd>((resolve) => {
    this.#resolve = resolve;
  });
  #line: TalkLine | undefined;
  #timer: ClockTimer | undefined;
  #retry: ClockTimer | undefined;
  #startUs = 0;
  #position = 0;
  #said = 0;
  #lastPushUs = 0;
  #isStarving = true;
  #isFinished = false;
  #tailLeft = TAIL_SAMPLES;
  #reopened = 0;
  #openedUs = 0;
  #state: "opening" | "open" | "over" = "opening";

  constructor(options: SpeechOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Seconds that were sent so far. */
  get seconds(): number {
    return this.#said / VOICE_RATE;
  }

  /** Resolves when the camera listens. Rejects as `open` does. */
  async begin(): Promise<void> {
    const line = await this.#connect();
    if (this.#state === "over") {
      await closeLine(line);
      throw new NvrdError("NOT_AVAILABLE", "it was ended before the camera listened", { hint: "" });
    }
    const { clock } = this.#options;
    this.#line = line;
    this.#state = "open";
    this.#startUs = clock.monotonicUs();
    this.#openedUs = this.#startUs;
    this.#lastPushUs = this.#startUs;
    this.#timer = clock.setInterval(() => this.#send(), PACKET_MS);
  }

  /** Adds what was said; what comes faster than it is spoken pushes out the oldest. */
  push(sound: Uint8Array): void {
    if (this.#state === "over" || this.#isFinished || sound.length === 0) return;
    this.#lastPushUs = this.#options.clock.monotonicUs();
    this.#queue.push(sound);
  }

  /** Adds all of it as there is room for it. Returns at once when the speech is over. */
  async write(sound: Uint8Array): Promise<void> {
    for (let at = 0; at < sound.length && !this.isOver; ) {
      const room = WAITING_BYTES_MAX - this.#queue.bytes;
      if (room <= 0) {
        await new Promise<void>((resolve) => this.#roomListeners.push(resolve));
        continue;
      }
      this.push(sound.subarray(at, at + room));
      at += room;
    }
  }

  /** Nothing more comes: it ends when all was said. */
  finish(): void {
    this.#isFinished = true;
  }

  /** Ends it at once. Twice is harmless. */
  end(reason: NvrdError | undefined): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#timer?.clear();
    this.#retry?.clear();
    const line = this.#line;
    this.#line = undefined;
    this.#tellRoom();
    const seconds = this.seconds;
    const droppedSeconds = this.#queue.dropped / VOICE_RATE;
    const closed = line === undefined ? Promise.resolve() : closeLine(line);
    closed
      .catch((error: unknown) =>
        this.#options.log.debug({ error: errorText(error) }, "a talk session did not close"),
      )
      .finally(() => this.#resolve({ seconds, droppedSeconds, reason }));
  }

  async #connect(): Promise<TalkLine> {
    let early: RtspFailure | undefined;
    let isConnected = false;
    const line = await this.#options.open((failure) => {
      if (isConnected) this.#lost(failure);
      else early = failure;
    });
    isConnected = true;
    if (early === undefined) return line;
    await closeLine(line);
    throw early;
  }

  #send(): void {
    const nowUs = this.#options.clock.monotonicUs();
    const due = Math.floor(((nowUs - this.#startUs) * VOICE_RATE) / 1e6);
    if (this.#line === undefined) this.#position = due - (due % PACKET_SAMPLES);
    if (due - this.#position > BEHIND_SAMPLES_MAX) this.#skipTo(due - PACKET_SAMPLES);
    while (this.#state === "open" && this.#line !== undefined && this.#position + PACKET_SAMPLES <= due) {
      this.#sendPacket(this.#line.voice);
      this.#position += PACKET_SAMPLES;
    }
    this.#tellRoom();
    if (this.#state === "open") this.#checkBounds(nowUs);
  }

  #skipTo(position: number): void {
    this.#position = position - (position % PACKET_SAMPLES);
    this.#isStarving = true;
  }

  #sendPacket(voice: Voice): void {
    const { law } = this.#options;
    if (this.#isStarving && !this.#isFinished && this.#queue.bytes < START_SAMPLES) return;
    const sound = this.#queue.take(PACKET_SAMPLES);
    if (sound.length > 0) {
      const missing = Buffer.alloc(PACKET_SAMPLES - sound.length, SILENCE[law]);
      voice.say(Buffer.concat([sound, missing]), this.#position, this.#isStarving);
      this.#said += sound.length;
      this.#isStarving = false;
      return;
    }
    this.#isStarving = true;
    if (!this.#isFinished) return;
    if (this.#said > 0 && this.#tailLeft > 0) {
      voice.say(Buffer.alloc(PACKET_SAMPLES, SILENCE[law]), this.#position, false);
      this.#tailLeft -= PACKET_SAMPLES;
    } else this.end(undefined);
  }

  #checkBounds(nowUs: number): void {
    if (this.#position >= SPEECH_SECONDS_MAX * VOICE_RATE) {
      const text = `nobody speaks for more than ${SPEECH_SECONDS_MAX} s at once`;
      this.end(new NvrdError("TOO_LARGE", text, { hint: "begin again" }));
    } else if (
      !this.#isFinished &&
      // So little is not sent: more may follow.
      this.#queue.bytes < START_SAMPLES &&
      nowUs - this.#lastPushUs > IDLE_MS_MAX * US_PER_MS
    ) {
      const text = `nothing was said for ${IDLE_MS_MAX / 1000} s`;
      this.end(new NvrdError("BAD_REQUEST", text, { hint: "send sound as it is spoken, and begin again" }));
    }
  }

  #tellRoom(): void {
    if (this.#queue.isFull && this.#state !== "over") return;
    for (const listener of this.#roomListeners.splice(0)) listener();
  }

  /** The connection is opened again. What is said meanwhile waits, within the bound. */
  #lost(failure: RtspFailure): void {
    const { clock, log } = this.#options;
    this.#line?.voice.close();
    this.#line = undefined;
    if (this.#state !== "open") return;
    const isGood = clock.monotonicUs() - this.#openedUs >= GOOD_CONNECTION_MS * US_PER_MS;
    this.#reopened = isGood ? 1 : this.#reopened + 1;
    if (this.#reopened > REOPENED_MAX) {
      this.end(failure);
      return;
    }
    log.info({ reason: failure.message }, "the connection for sound is lost: opening it again");
    this.#retry = clock.setTimeout(() => void this.#reopen(), REOPEN_MS);
  }

  async #reopen(): Promise<void> {
    try {
      const line = await this.#connect();
      if (this.#state !== "open") await closeLine(line);
      else {
        this.#line = line;
        this.#openedUs = this.#options.clock.monotonicUs();
        this.#isStarving = true;
      }
    } catch (error) {
      const failure = error instanceof NvrdError ? error : new NvrdError("NOT_AVAILABLE", errorText(error));
      if (this.#state !== "open") return;
      this.#reopened += 1;
      if (this.#reopened > REOPENED_MAX) this.end(failure);
      else this.#retry = this.#options.clock.setTimeout(() => void this.#reopen(), REOPEN_MS);
    }
  }
}

async function closeLine({ voice, channel }: TalkLine): Promise<void> {
  voice.close();
  await channel.close();
}
