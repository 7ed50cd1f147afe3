import { type Clock, MS_PER_SECOND, US_PER_SECOND } from "../base/index.js";
import type { Analyser, Camera, FrigateFeed } from "../site/index.js";
import { type AnalyserDrops, type AnalyserState, NO_DROPS } from "./analyser-state.js";
import type { CameraPicture, CameraPictures } from "./camera-pictures.js";
import type { Finding } from "./finding.js";
import { readFrigateMessage } from "./frigate-message.js";

/** Messages that are read in a second; Frigate sends some a second of each thing that it tracks. */
export const MESSAGES_PER_SECOND_MAX = 50;
/** Things whose messages are remembered, so that each is reported once. */
const KNOWN_MAX = 2048;
/** An event does not wait longer for its picture. */
const PICTURE_MS_MAX = 2 * MS_PER_SECOND;
/** Pictures that are made at a time; further events come without. */
const PICTURES_AT_ONCE_MAX = 2;

export type FrigateSource = Analyser & { readonly source: FrigateFeed };

export interface FrigateEventsOptions {
  readonly analyser: FrigateSource;
  readonly pictures: Pick<CameraPictures, "present">;
  readonly camera: (channelId: string) => Camera | undefined;
  readonly isWanted: (finding: Finding, analyser: Analyser, camera: Camera) => boolean;
  readonly clock: Clock;
  /** Returns how many events were made. Must not reject. */
  onFound(
    findings: readonly Finding[],
    found: {
      readonly analyser: Analyser;
      readonly camera: Camera;
      readonly picture: CameraPicture | undefined;
    },
  ): Promise<number>;
  /** Something that was reported before is still there. */
  onStill(camera: Camera): void;
}

/** What Frigate sees at its cameras: each thing once, and again when its plate or its name is known. */
export class FrigateEvents {
  readonly #options: FrigateEventsOptions;
  readonly #reported = new Set<string>();
  #dropped: AnalyserDrops = NO_DROPS;
  #received = 0;
  #events = 0;
  #lastUs: number | undefined;
  #secondUs = 0;
  #ofSecond = 0;
  #picturing = 0;

  constructor(options: FrigateEventsOptions) {
    this.#options = options;
  }

  get topic(): string {
    return `${this.#options.analyser.source.prefix}/events`;
  }

  get state(): Omit<AnalyserState, "id" | "name" | "isEnabled" | "isFailing" | "problem"> {
    return {
      asked: this.#received,
      answered: this.#received - this.#dropped.unread,
      failed: 0,
      reportedEvents: this.#events,
      dropped: this.#dropped,
      lastAnswerUs: this.#lastUs,
    };
  }

  /** Resolves when the message's events were made; never rejects. */
  async receive(payload: Uint8Array): Promise<void> {
    const { analyser, clock, isWanted, onFound, onStill } = this.#options;
    if (!this.#isInRate()) return this.#drop("rate");
    this.#received += 1;
    const message = readFrigateMessage(payload);
    if (message === undefined) return this.#drop("unread");
    this.#lastUs = clock.nowUs();
    const known = analyser.source.cameras.find(({ name }) => name === message.camera);
    const camera = known === undefined ? undefined : this.#options.camera(known.channelId);
    if (known === undefined || camera === undefined || camera.disabled || message.isOver) return;
    const wanted = message.findings(known).filter((finding) => isWanted(finding, analyser, camera));
    const fresh = wanted.filter((finding) => this.#isFresh(message.id, finding));
    if (wanted.length > 0) onStill(camera);
    if (fresh.length === 0) return;
    const picture = await this.#picture(camera);
    const reported = await onFound(fresh, { analyser, camera, picture });
    this.#events += reported;
  }

  #isInRate(): boolean {
    const nowUs = this.#options.clock.monotonicUs();
    if (nowUs - this.#secondUs >= US_PER_SECOND) [this.#secondUs, this.#ofSecond] = [nowUs, 0];
    this.#ofSecond += 1;
    return this.#ofSecond <= MESSAGES_PER_SECOND_MAX;
  }

  #isFresh(id: string, { kind, number, person }: Finding): boolean {
    const key = [id, kind, number ?? person ?? ""].join(" ");
    if (this.#reported.has(key)) return false;
    this.#reported.add(key);
    for (const oldest of this.#reported) {
      if (this.#reported.size <= KNOWN_MAX) break;
      this.#reported.delete(oldest);
    }
    return true;
  }

  #drop(reason: keyof AnalyserDrops): void {
    this.#dropped = { ...this.#dropped, [reason]: this.#dropped[reason] + 1 };
  }

  async #picture({ id }: Camera): Promise<CameraPicture | undefined> {
    if (this.#picturing >= PICTURES_AT_ONCE_MAX) {
      this.#drop("busy");
      return undefined;
    }
    const { pictures, clock } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimeout(() => late.abort(), PICTURE_MS_MAX);
    this.#picturing += 1;
    try {
      return await pictures.present(id, { isDetailed: false, signal: late.signal });
    } catch {
      this.#drop("noPicture");
      return undefined;
    } finally {
      this.#picturing -= 1;
      timer.clear();
    }
  }
}
