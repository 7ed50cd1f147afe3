import { SeededRandom } from "../../base/seeded-random.js";
import { type Clip, PICTURES_A_SECOND, zooClip } from "./clips.js";
import { cut } from "./cutting.js";
import type { Habit, Piece, ZooPicture, ZooSound } from "./habit.js";
import type { SoundSpec } from "./sound-spec.js";
import { SOUNDS } from "./sounds.js";
import { CameraSession, type Wire } from "./zoo-session.js";

const PICTURE_MS = 1000 / PICTURES_A_SECOND;

/** A picture, as it went out. */
export interface SentPicture {
  readonly picture: ZooPicture;
  readonly units: readonly Buffer[];
  /** When its last packet was sent. */
  readonly sentUs: number;
  /** How much later that was than the camera meant to: the machine that runs the tests was busy. */
  readonly heldUs: number;
  /** Which of the sessions that played, from 0. */
  readonly session: number;
}

export interface SentSound {
  readonly sound: ZooSound;
  readonly sentUs: number;
  readonly heldUs: number;
}

export interface ZooCameraOptions {
  readonly habits: readonly Habit[];
  readonly clip: Clip;
  readonly clock: { monotonicUs(): number; nowUs(): number };
  readonly seed: number;
}

/** A camera by script: what it encodes and what it does by habit. It remembers all that it sent. */
export class ZooCamera {
  readonly habits: readonly Habit[];
  readonly clip: Clip;
  readonly sound: SoundSpec | undefined;
  readonly clock: ZooCameraOptions["clock"];
  readonly random: SeededRandom;
  readonly pictures: SentPicture[] = [];
  readonly sounds: SentSound[] = [];
  readonly sessions: CameraSession[] = [];
  /** It sends nothing more. */
  isDone = false;
  /** Its timestamps are the time that it takes pictures at, but for a constant. */
  keepsTime = true;
  /** Sessions that were played. */
  plays = 0;
  /** When the first was; the camera's time counts from then. */
  startUs: number | undefined;
  readonly #from: number;

  static async make(options: Omit<ZooCameraOptions, "clip">): Promise<ZooCamera> {
    const name = options.habits.find((habit) => habit.clip !== undefined)?.clip ?? "h264";
    return new ZooCamera({ ...options, clip: await zooClip(name) });
  }

  constructor(options: ZooCameraOptions) {
    this.habits = options.habits;
    this.clip = options.clip;
    this.clock = options.clock;
    this.random = new SeededRandom(options.seed);
    this.#from = Math.max(0, ...this.habits.map((habit) => habit.from ?? 0));
    const sound = this.habits.find((habit) => habit.sound !== undefined)?.sound;
    this.sound = sound === undefined ? undefined : SOUNDS[sound];
  }

  /** Path and query of its address. */
  get address(): string {
    return this.#first((habit) => habit.address) ?? "/live";
  }

  /** Somebody connects. */
  connected(wire: Wire): CameraSession {
    const session = new CameraSession(this, wire);
    this.sessions.push(session);
    return session;
  }

  /** What is due now is sent. */
  advance(): void {
    for (const session of this.sessions) session.advance();
  }

  nowMs(): number {
    return (this.clock.monotonicUs() - (this.startUs ?? this.clock.monotonicUs())) / 1000;
  }

  /** When the picture is taken that is shown as the one of this number. */
  takenMs(index: number): number {
    return this.#first((habit) => habit.takenMs)?.(index) ?? index * PICTURE_MS;
  }

  /** When the picture that is sent as the one of this number is encoded: all that it needs are taken. */
  encodedMs(index: number): number {
    return this.takenMs(index + this.clip.shownLaterMax);
  }

  sentMs(atMs: number): number {
    return this.#first((habit) => habit.sentMs)?.(atMs) ?? atMs;
  }

  picture(index: number): ZooPicture {
    const { pictures } = this.clip;
    const length = pictures.length - this.#from;
    const clipPicture = pictures[this.#from + (index % length)];
    if (clipPicture === undefined) throw new RangeError(`the clip has no picture ${index}`);
    const gop = clipPicture.gop + Math.floor(index / length) * pictures.length;
    return { ...clipPicture, index, gop, atMs: this.takenMs(index), sets: this.clip.sets };
  }

  units(picture: ZooPicture): readonly Buffer[] {
    return this.habits.reduce((units, habit) => habit.units?.(units, picture) ?? units, picture.units);
  }

  pieces(units: readonly Buffer[], picture: ZooPicture): Piece[] {
    return this.#first((habit) => habit.pieces)?.(units, picture) ?? cut(this.clip.codec, units);
  }

  #first<T>(part: (habit: Habit) => T | undefined): T | undefined {
    for (const habit of this.habits) {
      const found = part(habit);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
