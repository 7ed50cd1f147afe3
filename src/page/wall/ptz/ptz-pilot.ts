import type { LinkTo, Queries } from "../../../contract/query/index.js";

/** What a camera can do, as `/ptz?command=getcapabilities` says. */
export interface PtzCapabilities {
  readonly PanTilt: boolean;
  readonly Zoom: boolean;
  readonly MoveTo: boolean;
  readonly AutoFocus: boolean;
  readonly Home: boolean;
  readonly Presets: readonly { readonly Index: number; readonly Name: string }[];
}

/** A command with its parameters. */
export type PtzParameters = Omit<LinkTo<Queries["/ptz"]>, "channelid" | "responsetype">;

/** What a pilot uses of the page. */
export interface PilotEnvironment {
  /** Asks `/ptz`; rejects with why it was not done. */
  send(parameters: PtzParameters): Promise<unknown>;
  /** The same for a page that may be gone before the answer. */
  sendLast(parameters: PtzParameters): void;
  after(ms: number, call: () => void): () => void;
  onRefused(error: unknown): void;
}

/** The recorder stops the camera after this time, should nothing more be heard of this page. */
const STOP_MS = 2000;
/** A movement that goes on is sent again so often. */
const REPEAT_MS = 800;

/** Speeds in percent: to the right, upwards, in. */
export interface Movement {
  readonly pan: number;
  readonly tilt: number;
  readonly zoom: number;
}

const STILL: Movement = { pan: 0, tilt: 0, zoom: 0 };

/**
 * Moves a camera while a key or the pointer is held, and stops it at release. One request at a time, always the newest wish;
 * a stop is never left out.
 */
export class PtzPilot {
  readonly #environment: PilotEnvironment;
  #wanted: Movement = STILL;
  /** Orders that were not sent yet, the newest of each kind. */
  #waiting: PtzParameters[] = [];
  #isBusy = false;
  #cancelRepeat: (() => void) | undefined;

  constructor(environment: PilotEnvironment) {
    this.#environment = environment;
  }

  get isMoving(): boolean {
    return this.#wanted !== STILL;
  }

  /** Goes on until `stop`. */
  move(movement: Movement): void {
    const next = rounded(movement);
    if (next.pan === 0 && next.tilt === 0 && next.zoom === 0) {
      this.stop();
      return;
    }
    if (this.isMoving && same(next, this.#wanted)) return;
    // A turn and a zoom are orders of their own: what is no longer wanted has to be stopped.
    const before = this.#wanted;
    const ends = (before.zoom !== 0 && next.zoom === 0) || (turns(before) && !turns(next));
    this.#wanted = next;
    this.#waiting = ends ? [{ command: "stop" }] : [];
    this.#sendNext();
  }

  stop(): void {
    this.#cancelRepeat?.();
    if (!this.isMoving) return;
    this.#wanted = STILL;
    this.#waiting = [{ command: "stop" }];
    void this.#sendAll();
  }

  /** The page is left, or sees nothing any more: does not wait for the answer to the order before. */
  abandon(): void {
    const wasMoving = this.isMoving || this.#waiting.some(({ command }) => command === "stop");
    this.#cancelRepeat?.();
    this.#wanted = STILL;
    this.#waiting = [];
    if (wasMoving) this.#environment.sendLast({ command: "stop" });
  }

  /** One order that ends by itself: a preset, a point of the picture. */
  once(parameters: PtzParameters): void {
    this.stop();
    this.#waiting = [...this.#waiting, parameters].slice(-2);
    void this.#sendAll();
  }

  #sendNext(): void {
    const { pan, tilt, zoom } = this.#wanted;
    if (turns(this.#wanted))
      this.#waiting.push({ command: "startmove", panspeed: pan, tiltspeed: tilt, stoptimeout: STOP_MS });
    if (zoom !== 0) this.#waiting.push({ command: "startzoom", speed: zoom, stoptimeout: STOP_MS });
    this.#cancelRepeat?.();
    this.#cancelRepeat = this.#environment.after(REPEAT_MS, () => {
      // An answer that takes longer than this is waited for: the next order follows it.
      if (this.#waiting.length === 0) this.#sendNext();
    });
    void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.#environment.send(next);
      } catch (error) {
        this.#cancelRepeat?.();
        this.#wanted = STILL;
        this.#waiting = this.#waiting.filter(({ command }) => command === "stop");
        this.#environment.onRefused(error);
      }
    }
    this.#isBusy = false;
    if (this.isMoving) this.#repeatLater();
  }

  #repeatLater(): void {
    this.#cancelRepeat?.();
    this.#cancelRepeat = this.#environment.after(REPEAT_MS, () => this.#sendNext());
  }
}

function turns({ pan, tilt }: Movement): boolean {
  return pan !== 0 || tilt !== 0;
}

function rounded({ pan, tilt, zoom }: Movement): Movement {
  const percent = (value: number): number => Math.max(-100, Math.min(100, Math.round(value / 5) * 5)) || 0;
  return { pan: percent(pan), tilt: percent(tilt), zoom: percent(zoom) };
}

function same(one: Movement, other: Movement): boolean {
  return one.pan === other.pan && one.tilt === other.tilt && one.zoom === other.zoom;
}

/** Where the pointer is, -1 to 1 from the middle of the picture: the speed that it asks for. Near the middle nothing moves. */
export function joystick(x: number, y: number): Pick<Movement, "pan" | "tilt"> {
  const speed = (part: number): number => {
    const size = Math.min(1, Math.abs(part));
    return size < 0.12 ? 0 : Math.sign(part) * Math.round(((size - 0.12) / 0.88) ** 1.5 * 100);
  };
  return { pan: speed(x), tilt: speed(-y) || 0 };
}
