import type { ClockTimer, ErrorCode, StreamKey } from "../../../base/index.js";
import { ERRORS, NvrdError } from "../../../base/index.js";
import { LIVE_CODECS, PROBLEM_REASON_TEXTS } from "../../../contract/answer/index.js";
import { LiveStream, type StreamState } from "../../../live/index.js";
import { type RelayedFeed, RelayedFrames } from "../../../player/index.js";
import type { LiveMessage } from "../box-live.js";
import type { FleetNeeds } from "../fleet-control.js";
import type { Seat, SeatListener, SeatWish, SharedLive } from "../shared-live.js";

/** It is left so long after its last viewer: over RTSP a viewer asks what it is, and then for it. */
const LINGER_MS = 3000;
/** How long it is waited for what a recorder has to say of it. */
const TOLD_MS = 10_000;
/** What windows ask for: the size decides nothing where the stream is named. */
const TILE = { width: 1920, height: 1080 };

export interface SharedStreamOptions {
  /** The channel as the hub shows it. */
  readonly key: StreamKey;
  readonly wish: Pick<SeatWish, "channel" | "stream" | "boxId" | "user">;
  readonly live: SharedLive;
  readonly clock: FleetNeeds["clock"];
  /** Nobody watches it any more, or it has ended for all. */
  readonly onEnd: () => void;
}

/** How a recorder sends a stream: as its camera does, or in no form that can be shared. */
export type SharedForm = "as-sent" | "otherwise";

/** A camera's stream of a recorder as one of this hub's own: it comes once with that of all who watch the camera over live sockets. */
export class SharedStream implements SeatListener {
  readonly stream: LiveStream;
  readonly #options: SharedStreamOptions;
  readonly #frames: RelayedFrames;
  #seat: Seat | undefined;
  #holds = 0;
  #linger: ClockTimer | undefined;
  #form: SharedForm | NvrdError | undefined;
  #waiting: (() => void)[] = [];
  #hasEnded = false;

  constructor(options: SharedStreamOptions) {
    this.#options = options;
    this.stream = new LiveStream(options.key);
    this.#frames = new RelayedFrames(this.stream, (reason) =>
      this.stream.setState({ state: "lost", reason: `what the recorder sends cannot be read: ${reason}` }),
    );
    this.stream.onDemand({ onDemand: () => this.#look() });
  }

  /** The recorder has said that it may not be watched any more. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** How it comes; undefined: nothing comes so far. Rejects with the NvrdError that the recorder refuses it with. */
  async form(): Promise<SharedForm | undefined> {
    this.#holds += 1;
    this.#look();
    if (this.#form === undefined) await this.#told();
    this.#holds -= 1;
    this.#look();
    if (this.#form instanceof NvrdError) throw this.#form;
    return this.#form;
  }

  onStream(message: LiveMessage, feed: RelayedFeed): void {
    const isAsSent = message.source === this.#options.wish.stream;
    this.#tell(isAsSent ? "as-sent" : "otherwise");
    if (!isAsSent) {
      this.#pause({ state: "lost", reason: "the camera does not send this stream" });
      return;
    }
    this.stream.setState({ state: "active" });
    this.#frames.follow(feed);
  }

  onNotice({ type, reason, code, text }: LiveMessage): void {
    const said = typeof text === "string" ? text : "";
    if (type === "problem") this.#problem(String(reason), said);
    if (type === "error" || type === "ended") {
      this.#hasEnded = true;
      this.#tell(
        new NvrdError(isErrorCode(code) ? code : "NOT_AVAILABLE", said || "the recorder refuses it"),
      );
      this.#leave();
      this.#pause({ state: "lost", reason: said });
      this.#options.onEnd();
    }
  }

  onLost(reason: string): void {
    this.#pause({ state: "lost", reason: `the recorder cannot be reached: ${reason}` });
    this.#settle();
  }

  #problem(reason: string, said: string): void {
    if (reason === "starting") {
      this.#pause({ state: "connecting" });
      return;
    }
    const words = PROBLEM_REASON_TEXTS[reason as keyof typeof PROBLEM_REASON_TEXTS] ?? reason;
    this.#pause({ state: "lost", reason: said || words });
    if (reason === "no-playable-stream" || reason === "too-many-viewers") this.#tell("otherwise");
    else this.#settle();
  }

  /** Nothing comes now. */
  #pause(state: StreamState): void {
    this.#frames.follow(undefined);
    this.stream.setState(state);
  }

  #tell(form: SharedForm | NvrdError): void {
    this.#form = form;
    this.#settle();
  }

  #settle(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  async #told(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#options.clock.setTimeout(resolve, TOLD_MS);
      this.#waiting.push(() => {
        timer.clear();
        resolve();
      });
    });
  }

  #look(): void {
    const isWanted = this.#holds > 0 || this.stream.subscribers > 0;
    if (isWanted) {
      this.#linger?.clear();
      this.#linger = undefined;
      if (this.#seat === undefined && !this.#hasEnded) this.#begin();
    } else if (this.#seat !== undefined)
      this.#linger ??= this.#options.clock.setTimeout(() => this.#end(), LINGER_MS);
  }

  #begin(): void {
    const { live, wish } = this.#options;
    this.stream.setState({ state: "connecting" });
    const seat = live.watch(
      { ...wish, tile: TILE, sound: false, boxes: false, codecs: LIVE_CODECS, isOfPeer: false },
      this,
    );
    if (this.#hasEnded) seat.leave();
    else this.#seat = seat;
  }

  #end(): void {
    this.#linger = undefined;
    this.#leave();
    this.#form = undefined;
    this.#pause({ state: "idle" });
    this.#options.onEnd();
  }

  #leave(): void {
    this.#seat?.leave();
    this.#seat = undefined;
  }
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && code in ERRORS;
}
