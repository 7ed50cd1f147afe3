import { effect, type Signal, signal } from "@preact/signals";
import type { BoxesMessage, SeenBox, StreamMessage, Tile } from "../../../contract/answer/index.js";
import { connection, liveSocket } from "../../player/live-socket.js";
import type { MediaHeader } from "../../player/media-header.js";
import { PicturePlayer, type PlayerFigures } from "../../player/picture-player.js";
import { Rhythm } from "../../player/rhythm.js";
import { Standing } from "../../player/standing.js";
import type { ProblemMessage, Refusal, Watch, WatchListener, WatchOrder } from "../../player/watch.js";
import { readChannels } from "../../state/channels.js";
import { recorderNow } from "../../state/recorder-time.js";
import { noteShape } from "../layout/shapes.js";
import { thrift } from "./thrift.js";

/** A subscription that was refused or ended is asked for again after this time: a right may be back. */
const AGAIN_MS = 15_000;
/** So long a tile says that its link was too slow. */
const SLOW_MS = 10_000;

/** What a tile knows of its picture. */
export interface PictureState {
  /** Pictures come. */
  readonly isShowing: boolean;
  readonly problem?: ProblemMessage;
  readonly refusal?: Refusal;
  readonly stream?: StreamMessage;
  /** Pictures should come, and none is seen. */
  readonly isStanding: boolean;
  /** Pictures were left out a moment ago, as the link or the device is too slow. */
  readonly isSlow: boolean;
}

const NOTHING: PictureState = { isShowing: false, isStanding: false, isSlow: false };
/** How often it is looked whether the picture moves. */
const LOOK_MS = 500;

/** One camera live in a video element, for as long as somebody sees it. Comes back by itself from whatever happens. */
export class LivePicture implements WatchListener {
  readonly state: Signal<PictureState> = signal(NOTHING);
  /** Where in the picture something is seen now, while that is asked for. */
  readonly boxes: Signal<readonly SeenBox[]> = signal([]);
  readonly #player: PicturePlayer;
  readonly #channel: string;
  #order: Omit<WatchOrder, "channel">;
  #watch: Watch | undefined;
  readonly #forgetLink: () => void;
  #againTimer: ReturnType<typeof setTimeout> | undefined;
  #slowTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #standing = new Standing();
  readonly #lookTimer: ReturnType<typeof setInterval>;
  /** How many pictures were shown when one was shown last, and when that was. */
  #moved = { count: 0, atMs: 0 };
  readonly #rhythm = new Rhythm();

  constructor(video: HTMLVideoElement, order: WatchOrder) {
    const { channel, ...rest } = order;
    this.#channel = channel;
    this.#order = rest;
    this.#player = new PicturePlayer(video, "live", {
      onShowing: () => this.#onPicture(),
      onFault: () => this.#watch?.restart(),
    });
    this.#lookTimer = setInterval(() => this.#lookWhetherItMoves(performance.now()), LOOK_MS);
    // The last picture stays, but what it shows is over.
    this.#forgetLink = effect(() => {
      if (connection.value.state === "open") return;
      this.#set({ isShowing: false });
      this.boxes.value = [];
    });
  }

  /** Somebody sees it, or nobody does: then nothing is sent for it. */
  see(isSeen: boolean): void {
    if (isSeen === (this.#watch !== undefined)) return;
    if (isSeen) this.#begin();
    else {
      this.#watch?.leave();
      this.#watch = undefined;
      this.boxes.value = [];
    }
  }

  change(what: {
    readonly tile?: Tile;
    readonly stream?: NonNullable<WatchOrder["stream"]>;
    readonly sound?: boolean;
    readonly boxes?: boolean;
  }): void {
    this.#order = { ...this.#order, ...what };
    this.#watch?.change(what);
    if (what.boxes === false) this.boxes.value = [];
  }

  /** When the picture that is shown was taken, Unix milliseconds. */
  get takenMs(): number {
    return this.#player.wallMs ?? recorderNow();
  }

  figures(): PlayerFigures {
    return this.#player.figures(recorderNow());
  }

  close(): void {
    clearTimeout(this.#againTimer);
    clearTimeout(this.#slowTimer);
    clearInterval(this.#lookTimer);
    this.#forgetLink();
    this.see(false);
    this.#player.close();
  }

  onStream(message: StreamMessage): void {
    if (message.source !== this.state.peek().stream?.source) this.#rhythm.forget();
    this.#set({ stream: message });
    noteShape(this.#channel, message.width, message.height);
    this.#player.onStream(message);
  }

  onInit(bytes: Uint8Array): void {
    this.#player.onInit(bytes);
  }

  onFragment(header: MediaHeader, bytes: Uint8Array): void {
    if (!header.isSound) this.#rhythm.note(header.wallMs);
    this.#player.onFragment(header, bytes);
  }

  onBoxes({ boxes }: BoxesMessage): void {
    this.boxes.value = boxes;
  }

  onProblem(problem: ProblemMessage): void {
    this.#set({ problem, isShowing: false });
  }

  onDropped(count: number): void {
    this.#player.onDropped(count);
    this.#rhythm.forget();
    thrift.report();
    this.#set({ isSlow: true });
    clearTimeout(this.#slowTimer);
    this.#slowTimer = setTimeout(() => this.#set({ isSlow: false }), SLOW_MS);
  }

  onEnded(refusal: Refusal): void {
    this.#watch = undefined;
    this.#player.clear();
    this.#set({ refusal, isShowing: false });
    // A right may have changed: what is known of the channels is old.
    readChannels().catch((error: unknown) => console.warn("the channels cannot be read", error));
    clearTimeout(this.#againTimer);
    this.#againTimer = setTimeout(() => {
      if (this.#watch === undefined && this.state.peek().refusal !== undefined) this.#begin();
    }, AGAIN_MS);
  }

  /** Says a picture that is looked at and stands, and begins anew. What the service says of the camera says more. */
  #lookWhetherItMoves(nowMs: number): void {
    const { isShowing, isStanding, problem, refusal } = this.state.peek();
    const count = this.#player.shownCount;
    if (count !== this.#moved.count || !this.#player.isSeen) this.#moved = { count, atMs: nowMs };
    const isExpected =
      this.#watch !== undefined && isShowing && problem === undefined && refusal === undefined;
    const isStill = nowMs - this.#moved.atMs > this.#rhythm.patienceMs;
    const isAwaited = isExpected && isStill && nowMs - this.#moved.atMs >= LOOK_MS;
    const { isStanding: stands, beginsAnew } = this.#standing.look(isAwaited, nowMs);
    if (stands !== isStanding) this.#set({ isStanding: stands });
    if (!beginsAnew) return;
    console.warn("a live picture stands still and begins anew");
    this.#standing.tried(nowMs);
    this.#player.clear();
    this.#watch?.restart();
  }

  /** Whatever was wrong is over. */
  #onPicture(): void {
    const { isShowing, problem, refusal, ...rest } = this.state.peek();
    if (isShowing && problem === undefined && refusal === undefined) return;
    this.state.value = { ...rest, isShowing: true };
  }

  #begin(): void {
    clearTimeout(this.#againTimer);
    this.#watch = liveSocket.watch({ channel: this.#channel, ...this.#order }, this);
  }

  #set(what: Partial<PictureState>): void {
    this.state.value = { ...this.state.peek(), ...what };
  }
}
