import {
  type Clock,
  type ClockTimer,
  errorText,
  type Log,
  MS_PER_SECOND,
  NvrdError,
  US_PER_MS,
  US_PER_SECOND,
} from "../../base/index.js";
import type { BackChannel, RtspFailure } from "../../rtsp/index.js";
import { createSpokenSound, type SpokenFormat, type SpokenSound } from "./spoken-sound.js";
import type { Voice } from "./voice.js";

/** How often it is looked what is to be sent now. */
const TICK_MS = 20;
/** After silence so much is waited for, that a network's unevenness is not heard. */
const START_MS = 60;
/** What could not be sent in time is left out beyond this, and not sent in one burst. */
const BEHIND_MS_MAX = 200;
/** Silence after the last word, so that the camera plays what it has before the session ends. */
const TAIL_MS = 400;
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
  readonly format: SpokenFormat;
  /** Connects to the camera; calls `onLost` once when the camera goes. */
  readonly open: (onLost: (failure: RtspFailure) => void) => Promise<TalkLine>;
  readonly clock: Clock;
  readonly log: Log;
}

/** One speaker at one camera: sends what was said in real time, whatever the pace in which it came. */
export class Speech {
  readonly #options: SpeechOptions;
  readonly #sound: SpokenSound;
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
  #tailLeft: number;
  #reopened = 0;
  #openedUs = 0;
  #state: "opening" | "open" | "over" = "opening";

  constructor(options: SpeechOptions) {
    this.#options = options;
    this.#sound = createSpokenSound(options.format);
    this.#tailLeft = this.#samples(TAIL_MS);
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Seconds that were sent so far. */
  get seconds(): number {
    return this.#said / this.#sound.rate;
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
    this.#timer = clock.setInterval(() => this.#send(), TICK_MS);
  }

  /** Adds what was said; what comes faster than it is spoken pushes out the oldest. What is not of the format ends it. */
  push(sound: Uint8Array): void {
    if (this.#state === "over" || this.#isFinished || sound.length === 0) return;
    this.#lastPushUs = this.#options.clock.monotonicUs();
    try {
      this.#sound.push(sound);
    } catch (error) {
      if (!(error instanceof NvrdError)) throw error;
      this.end(error);
    }
  }

  /** Adds all of it as there is room for it. Returns at once when the speech is over. */
  async write(sound: Uint8Array): Promise<void> {
    for (let at = 0; at < sound.length && !this.isOver; ) {
      const { room } = this.#sound;
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
    this.#notifyRoom();
    const seconds = this.seconds;
    const droppedSeconds = this.#sound.dropped / this.#sound.rate;
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

  /** In whole packets, one at least. */
  #samples(ms: number): number {
    const { rate, packetSamples } = this.#sound;
    return Math.max(1, Math.round((ms * rate) / MS_PER_SECOND / packetSamples)) * packetSamples;
  }

  #send(): void {
    const { rate, packetSamples } = this.#sound;
    const nowUs = this.#options.clock.monotonicUs();
    const due = Math.floor(((nowUs - this.#startUs) * rate) / US_PER_SECOND);
    if (this.#line === undefined) this.#position = due - (due % packetSamples);
    const behindMax = Math.max(this.#samples(BEHIND_MS_MAX), 2 * packetSamples);
    if (due - this.#position > behindMax) this.#skipTo(due - packetSamples);
    while (this.#state === "open" && this.#line !== undefined && this.#position + packetSamples <= due) {
      this.#sendPacket(this.#line.voice);
      this.#position += packetSamples;
    }
    this.#notifyRoom();
    if (this.#state === "open") this.#checkBounds(nowUs);
  }

  #skipTo(position: number): void {
    this.#position = position - (position % this.#sound.packetSamples);
    this.#isStarving = true;
  }

  #sendPacket(voice: Voice): void {
    const sound = this.#sound;
    if (this.#isStarving && !this.#isFinished && sound.waiting < this.#samples(START_MS)) return;
    const piece = sound.take();
    if (piece !== undefined) {
      voice.say(piece.bytes, this.#position, this.#isStarving);
      this.#said += piece.said;
      this.#isStarving = false;
      return;
    }
    this.#isStarving = true;
    if (!this.#isFinished) return;
    if (this.#said > 0 && this.#tailLeft > 0) {
      if (sound.silence !== undefined) voice.say(sound.silence, this.#position, false);
      this.#tailLeft -= sound.packetSamples;
    } else this.end(undefined);
  }

  #checkBounds(nowUs: number): void {
    if (this.#position >= SPEECH_SECONDS_MAX * this.#sound.rate) {
      const text = `nobody speaks for more than ${SPEECH_SECONDS_MAX} s at once`;
      this.end(new NvrdError("TOO_LARGE", text, { hint: "begin again" }));
    } else if (
      !this.#isFinished &&
      // So little is not sent: more may follow.
      this.#sound.waiting < this.#samples(START_MS) &&
      nowUs - this.#lastPushUs > IDLE_MS_MAX * US_PER_MS
    ) {
      const text = `nothing was said for ${IDLE_MS_MAX / 1000} s`;
      this.end(new NvrdError("BAD_REQUEST", text, { hint: "send sound as it is spoken, and begin again" }));
    }
  }

  #notifyRoom(): void {
    if (this.#sound.room <= 0 && this.#state !== "over") return;
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
