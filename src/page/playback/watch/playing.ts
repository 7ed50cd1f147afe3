import { signal } from "@preact/signals";
import type { PlaySpeed } from "../../../contract/answer/index.js";
import { say } from "../../control/notice.js";
import { connection } from "../../player/live-socket.js";
import { PlaybackClock } from "../../player/playback-clock.js";
import type { PlaybackPlace } from "../../player/playback-follower.js";
import type { GapMessage, PlaybackMessage, Refusal } from "../../player/watch.js";
import { recorderNow } from "../../state/recorder-time.js";
import { isBucket } from "../../state/session.js";
import { playbackWords } from "../../words/playback.js";
import { nearWords } from "../time/format.js";
import { following, lengthOf } from "../timeline/span.js";
import { reasonWords } from "../timeline/words.js";
import { Deck } from "./deck.js";
import { Drawing, scanStep } from "./drawing.js";
import { GapNotices } from "./gap-notices.js";
import { LookAhead } from "./look-ahead.js";
import {
  active,
  chosen,
  cursor,
  heard,
  isAwaited,
  isLive,
  isPlaying,
  isStanding,
  nameOf,
  playState,
  shownMoment,
  shownSpan,
  showSpan,
  speed,
} from "./model.js";
import type { CameraState, PlayedCamera } from "./played-camera.js";

/** The service's moment is taken over where the page's own is so far from it; closer than that both run evenly. */
const APART_MS = 400;
/** An order that was not answered for so long holds up the next one no longer. */
const ANSWER_MS = 1500;
/** A picture that is no older than this when it is shown is live. */
const LIVE_MS = 2000;
/** Recordings that go on come up to 3 s behind the camera: what was live and is no older still is. */
const LIVE_KEPT_MS = 3000;
/** Recordings that end so far before now have an end: those that go on come closer. */
const END_MS = 5000;
/** Live that was lost for less is not said again. */
const LIVE_SAID_MS = 15_000;
/** Without a picture of the screen for so long nobody has looked: the moment has not gone on. */
const UNSEEN_MS = 1000;
/** The newest recordings are read from the disk so far behind now. */
const NEAR_MS = 30_000;
/** A gap so far from what is shown is none of now. */
const GAP_NEAR_MS = 5000;
/** Within this time what the service reports of the speed may be older than the last order. */
const SPEED_ANSWER_MS = 800;
/** The timeline follows in steps of this part of it. */
const STEP_PART = 0.002;

/** The size of a picture before it is laid out, device pixels. */
const FIRST_TILE = { width: 640, height: 360 };
/** With more cameras that play, decoding others of them as well would cost too much. */
const AHEAD_CAMERAS_MAX = 9;

/** The cameras that are seen, in the order in which they were chosen. */
export const playedCameras = signal<readonly PlayedCamera[]>([]);

/** Plays the chosen cameras in step. One for the page, as the service has one playback for a connection. */
class Playing {
  readonly #clock = new PlaybackClock(() => performance.now());
  /** What is played. */
  #front: Deck | undefined;
  #frame = 0;
  /** Where to go when the last order is answered; only the last of many is of use. */
  #next: number | undefined;
  #orderedAtMs: number | undefined;
  #isTimelineDetached = false;
  /** The service has sent the picture of the moment that stands. */
  #isSent = false;
  /** Where the service went on behind a gap of all cameras. */
  #goesOnAt: number | undefined;
  #drawing: Drawing | undefined;
  readonly #ahead = new LookAhead<Deck>();
  #lastFrame: { readonly nowMs: number; readonly at: number; readonly isLive: boolean } | undefined;
  #liveSaidMs = Number.NEGATIVE_INFINITY;
  readonly #gaps = new GapNotices();
  #speedAtMs = Number.NEGATIVE_INFINITY;
  /** It is to play as soon as it is open. */
  #isWanted = false;
  /** Whether it is to play after an order that has not been answered yet; undefined without one. */
  #ordered: { readonly plays: boolean; readonly atMs: number } | undefined;

  /** Begins with the chosen cameras, standing unless it played before. */
  open(): void {
    const isPaused = !isPlaying.peek() && !this.#isWanted;
    this.#isWanted = false;
    this.close();
    const ids = chosen.peek();
    if (ids.length === 0) return;
    const from = Math.min(cursor.peek(), recorderNow());
    const cameras = ids.map((channel) => ({ channel, tile: FIRST_TILE }));
    this.#clock.set(cursor.peek());
    this.#clock.setSpeed(speed.peek());
    this.#orderedAtMs = performance.now();
    this.#front = this.#open({ number: 0, cameras, from, speed: speed.peek(), paused: isPaused });
    playedCameras.value = this.#front.cameras;
    playState.value = isPaused ? "paused" : "playing";
    this.#frame = requestAnimationFrame(this.#onFrame);
  }

  #open(order: Omit<ConstructorParameters<typeof Deck>[0], "heard">): Deck {
    return new Deck(
      { ...order, heard: heard.peek() },
      {
        onPlayback: (deck, message) => {
          if (this.#ahead.has(deck)) this.#ahead.onPlayback(message);
          else this.#onPlayback(message);
        },
        onRefused: (deck, refusal) => {
          if (!this.#ahead.has(deck)) this.#onRefused(refusal);
        },
        onGap: (deck, channel, gap) => {
          if (!this.#ahead.has(deck)) this.#onGap(channel, gap);
        },
        position: (deck) => (this.#ahead.has(deck) ? this.#ahead.at : this.#clock.at()),
      },
    );
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#front?.close();
    this.#front = undefined;
    playedCameras.value = [];
    this.#next = undefined;
    this.#orderedAtMs = undefined;
    this.#ordered = undefined;
    this.#gaps.forget();
    this.#clock.run(false);
    this.#isSent = false;
    this.#goesOnAt = undefined;
    this.#lastFrame = undefined;
    this.#drawing = undefined;
    this.#ahead.close();
    playState.value = "idle";
    isLive.value = false;
    isAwaited.value = false;
    isStanding.value = false;
  }

  /** Shows another moment; of many in a row those are left out for which there is no time. */
  seek(to: number): void {
    const at = Math.max(0, Math.min(to, recorderNow()));
    cursor.value = at;
    if (this.#front === undefined || this.#goOnAhead(at)) return;
    this.#next = at;
    this.#seekNext();
  }

  /** A hand takes the playhead. What is seen on the way comes at once, before the hand is there. */
  beginDrawing(): void {
    const front = this.#front;
    if (front === undefined || this.#drawing !== undefined) return;
    const nowMs = performance.now();
    this.#ahead.hover(undefined, nowMs);
    this.#drawing = new Drawing(this.#ordered?.plays ?? isPlaying.peek(), nowMs);
    this.#clock.run(false);
    this.#isSent = false;
    const { cameras } = front;
    const { from, to } = shownSpan.peek();
    const end = Math.min(to, recorderNow());
    const every = scanStep(end - from, cameras.length);
    for (const camera of cameras)
      camera.beginDrawing({ cameras: cameras.length, lengthMs: end - from, apartMs: every });
    front.playback.scan({ from: Math.max(0, from), to: Math.max(0, end), every });
  }

  /** Shows what is there of the moment under the hand. */
  drawTo(to: number): void {
    if (this.#drawing === undefined) {
      this.seek(to);
      return;
    }
    const at = Math.max(0, Math.min(to, recorderNow()));
    cursor.value = at;
    this.#drawing.move(performance.now());
    this.#isSent = false;
    this.#clock.set(at);
  }

  endDrawing(): void {
    const drawing = this.#drawing;
    if (drawing === undefined) return;
    this.#drawing = undefined;
    for (const camera of this.#front?.cameras ?? []) camera.endDrawing();
    this.#orderedAtMs = undefined;
    this.seek(cursor.peek());
    if (drawing.plays) this.#front?.playback.resume();
  }

  /** A key that is pressed again before the service has answered counts as well. */
  toggle(): void {
    const plays = this.#ordered?.plays ?? isPlaying.peek();
    if (plays) this.pause();
    else this.resume();
    this.#ordered = { plays: !plays, atMs: performance.now() };
  }

  /** Plays, at once or as soon as it is opened. */
  start(): void {
    playState.value = "playing";
    this.#front?.playback.resume();
  }

  pause(): void {
    this.#clock.run(false);
    this.#front?.playback.pause();
  }

  /** A pointer is over a moment of the timeline, or gone: what is there is fetched and decoded before it clicks. */
  hover(at: number | undefined, isMoved = false): void {
    this.#ahead.hover(at, performance.now(), isMoved);
  }

  /** A finger is over a moment of the timeline, and is likely to tap there. */
  touch(at: number): void {
    this.#ahead.touch(at);
  }

  resume(): void {
    this.#isWanted = this.#front === undefined;
    if (playState.peek() === "start") this.setSpeed(1);
    this.#front?.playback.resume();
  }

  setSpeed(next: PlaySpeed): void {
    if (Math.sign(next) !== Math.sign(speed.peek())) this.#gaps.forget();
    speed.value = next;
    this.#speedAtMs = performance.now();
    this.#front?.playback.speed(next);
  }

  /** Plays in a direction; faster where it does already. */
  shuttle(direction: 1 | -1): void {
    const now = speed.peek();
    const isSame = isPlaying.peek() && Math.sign(now) === direction;
    this.setSpeed(isSame ? Math.max(-32, Math.min(32, now * 2)) : direction);
    if (!isPlaying.peek()) this.#front?.playback.resume();
  }

  step(by: 1 | -1): void {
    this.#clock.run(false);
    this.#front?.playback.step(by);
  }

  toLive(): void {
    if (speed.peek() !== 1) this.setSpeed(1);
    this.seek(recorderNow());
    if (!isPlaying.peek()) this.#front?.playback.resume();
  }

  hear(channel: string | undefined): void {
    heard.value = channel;
    for (const camera of this.#front?.cameras ?? []) camera.hear(camera.channel === channel);
  }

  /** The pictures of the moment under a pointer that rests there come on the other deck, while those of this one stay on the screen. */
  #lookAhead(nowMs: number): void {
    const played = this.#front;
    if (played !== undefined && this.#mayLookAhead) {
      const to = this.#ahead.wanted(nowMs);
      if (to !== undefined && to <= recorderNow())
        this.#ahead.look(to, nowMs, {
          played,
          open: () => this.#openAhead(played, to),
          resize: (deck) => deck.resizeAs(played),
        });
    }
    this.#ahead.onFrame(nowMs);
  }

  /** Nothing else is under way, and nobody waits for a picture. */
  get #mayLookAhead(): boolean {
    const [front, shown] = [this.#front?.cameras ?? [], playedCameras.peek()];
    if (this.#drawing !== undefined || heard.peek() !== undefined || isBucket()) return false;
    if (this.#next !== undefined || this.#orderedAtMs !== undefined || isAwaited.peek()) return false;
    if (isPlaying.peek() && front.length > AHEAD_CAMERAS_MAX) return false;
    return front.length > 0 && front.every((camera, index) => camera === shown[index]);
  }

  #openAhead({ number: played, cameras }: Deck, from: number): Deck {
    const number = played === 0 ? 1 : 0;
    const deck = this.#open({ number, cameras, from, speed: 1, paused: true });
    for (const [index, { video }] of deck.cameras.entries()) {
      video.className = "spare";
      video.ariaHidden = "true";
      cameras[index]?.video.after(video);
    }
    return deck;
  }

  /** Goes on with the other deck, where that stands at the moment; answers whether it does. */
  #goOnAhead(to: number): boolean {
    const front = this.#front;
    if (front === undefined || this.#drawing !== undefined || heard.peek() !== undefined) return false;
    const taken = this.#ahead.take(to, performance.now());
    if (taken === undefined) return false;
    const { deck, at, askedMs } = taken;
    const plays = this.#ordered?.plays ?? isPlaying.peek();
    this.#front = deck;
    front.rest();
    this.#ahead.give(front);
    this.#next = undefined;
    this.#orderedAtMs = askedMs;
    this.#isSent = askedMs === undefined;
    this.#place(at);
    // Until what follows has come, its picture stays.
    this.#clock.hold(true);
    if (plays) deck.playback.resume();
    if (deck.speed !== speed.peek()) deck.playback.speed(speed.peek());
    return true;
  }

  /** What is said of the place before holds no longer. */
  #place(at: number): void {
    this.#isTimelineDetached = false;
    this.#goesOnAt = undefined;
    this.#gaps.forget();
    this.#clock.set(at);
    cursor.value = at;
  }

  #seekNext(): void {
    const now = performance.now();
    const waits = this.#orderedAtMs !== undefined && now - this.#orderedAtMs < ANSWER_MS;
    if (this.#next === undefined || waits || this.#front === undefined) return;
    const to = this.#next;
    this.#next = undefined;
    this.#orderedAtMs = now;
    this.#isSent = false;
    for (const camera of this.#front.cameras) camera.jump();
    this.#place(to);
    this.#front.playback.seek(to);
  }

  #onPlayback({ state, time, speed: played }: PlaybackMessage): void {
    const isAnswer = this.#orderedAtMs !== undefined;
    this.#orderedAtMs = undefined;
    const runs = state === "playing" || state === "edge";
    const { plays = runs, atMs = 0 } = this.#ordered ?? {};
    if (plays === runs || performance.now() - atMs > ANSWER_MS) this.#ordered = undefined;
    if (this.#drawing !== undefined) {
      this.#isSent = isAnswer;
      this.#drawing.isScanning &&= isAnswer;
      return;
    }
    if (this.#next !== undefined) {
      this.#seekNext();
      return;
    }
    // An answer to an order before this one: a key that is pressed quickly counts each time.
    const isOld = played !== speed.peek() && performance.now() - this.#speedAtMs < SPEED_ANSWER_MS;
    const now = isOld ? speed.peek() : played;
    // The service slows a fast playback down where the recordings end; from there it is a step to live.
    const hasCaughtUp =
      state === "playing" && now === 1 && speed.peek() > 1 && recorderNow() - time < NEAR_MS;
    speed.value = now;
    if (hasCaughtUp) {
      this.seek(recorderNow());
      return;
    }
    this.#isSent = !runs;
    this.#takeMoment(time, now, isAnswer || !runs);
    this.#clock.setSpeed(now);
    this.#clock.run(runs);
    if (state === "start" && playState.peek() !== "start") say(playbackWords().atStart);
    const isEnd = state === "edge" && playState.peek() !== "edge" && recorderNow() - time > END_MS;
    if (isEnd) say(playbackWords().atEnd);
    playState.value = state;
    if (!runs) isLive.value = false;
  }

  /** What the service is ahead of the page by itself is yet to be shown, but for what it jumped over. */
  #takeMoment(time: number, speed: number, isAnswer: boolean): void {
    const aheadMs = (time - this.#clock.at()) * Math.sign(speed);
    if (isAnswer || aheadMs < -APART_MS * Math.max(1, Math.abs(speed))) this.#clock.set(time);
    else if (aheadMs > 0) this.#goesOnAt = time;
  }

  #onRefused({ text }: Refusal): void {
    this.#orderedAtMs = undefined;
    say(playbackWords().refused(text), true);
  }

  /** A gap that is come to, or was just jumped over, is to be said. */
  #onGap(channel: string, { reason, from, to }: GapMessage): void {
    if (!isPlaying.peek()) return;
    const at = this.#clock.at();
    const apart = Math.min(Math.abs(at - from), Math.abs(at - to));
    if (apart > GAP_NEAR_MS * Math.max(1, Math.abs(speed.peek()))) return;
    this.#gaps.add({ channel, reason, from, to }, performance.now());
  }

  #sayGaps(nowMs: number): void {
    for (const { channels, reason, goesOnAt } of this.#gaps.due(speed.peek() < 0 ? -1 : 1, nowMs)) {
      const reasonSaid = reasonWords(reason as Parameters<typeof reasonWords>[0]);
      const words = playbackWords().gapSaid(reasonSaid, nearWords(goesOnAt, this.#clock.at()));
      const isOfAll = channels.length === playedCameras.peek().length;
      say(isOfAll ? words : `${channels.map(nameOf).join(", ")}: ${words}`);
    }
  }

  readonly #onFrame = (): void => {
    this.#frame = requestAnimationFrame(this.#onFrame);
    const nowMs = performance.now();
    this.#goOnUnseen(nowMs);
    if (this.#drawing?.rests(nowMs)) this.#next = cursor.peek();
    this.#seekNext();
    this.#lookAhead(nowMs);
    const cameras = this.#front?.cameras ?? [];
    const { speed: rate, isMoving } = this.#clock;
    const at = this.#clock.at();
    this.#sayGaps(nowMs);
    const isRunning = isPlaying.peek() && this.#drawing === undefined;
    const place = {
      wallMs: at,
      speed: rate,
      isMoving,
      isRunning,
      isSent: this.#isSent,
      isDrawn: this.#drawing !== undefined,
    };
    const states = followAll(cameras, place, nowMs);
    this.#bringForward();
    const isHeld = holds(states);
    this.#clock.hold(isHeld);
    this.#jumpGap(states);
    this.#watchStanding(states, isHeld, nowMs);
    this.#show(at, states, nowMs);
    this.#lastFrame = { nowMs, at, isLive: isLive.peek() };
  };

  /** What the played deck's cameras show takes the place of the other deck's as soon as it is there. */
  #bringForward(): void {
    const shown = playedCameras.peek();
    const next = (this.#front?.cameras ?? []).map((camera, index) => {
      const other = shown[index];
      if (other === undefined || other === camera) return camera;
      if (!camera.isReady && !camera.isLate.peek()) return other;
      camera.comeForward(other);
      return camera;
    });
    if (next.some((camera, index) => camera !== shown[index])) playedCameras.value = next;
  }

  /** The screen was not drawn, as in another tab: it goes on where it was, or live, and what is heard has gone on. */
  #goOnUnseen(nowMs: number): void {
    const last = this.#lastFrame;
    if (last === undefined || nowMs - last.nowMs < UNSEEN_MS || heard.peek() !== undefined) return;
    if (!this.#clock.isMoving || this.#orderedAtMs !== undefined) return;
    this.#clock.set(last.at);
    if (last.isLive) this.seek(recorderNow());
  }

  /** Where no camera has anything, the moment goes on behind the gap. */
  #jumpGap(states: readonly CameraState[]): void {
    const to = this.#goesOnAt;
    if (to === undefined || states.some((state) => state !== "none")) return;
    this.#goesOnAt = undefined;
    if ((to - this.#clock.at()) * Math.sign(this.#clock.speed) > 0) this.#clock.set(to);
  }

  /** Pictures that do not come although the service can be reached: says so, and begins anew. */
  #watchStanding(states: readonly CameraState[], isHeld: boolean, nowMs: number): void {
    const mayCome = connection.peek().state === "open" && this.#drawing === undefined;
    const cameras = this.#front?.cameras ?? [];
    const anew = cameras.filter((camera, index) =>
      camera.lookWhetherItMoves(mayCome && isToCome(states[index]), this.#clock.speed, nowMs),
    );
    const stands = isHeld && cameras.some((camera) => camera.isStanding.peek());
    if (isStanding.peek() !== stands) isStanding.value = stands;
    if (anew.length === 0 || this.#front === undefined) return;
    console.warn("the playback begins anew, as it stands still:", anew.map(({ channel }) => channel).join());
    for (const camera of cameras) camera.beginAnew(nowMs);
    this.#isSent = false;
    this.#orderedAtMs = performance.now();
    this.#front.playback.restart();
  }

  #show(at: number, states: readonly CameraState[], nowMs: number): void {
    if (this.#next === undefined && cursor.peek() !== at) cursor.value = at;
    const isWaiting = this.#next !== undefined || states.some((state) => state === "awaited");
    if (isAwaited.peek() !== isWaiting) isAwaited.value = isWaiting;
    const shown = this.#shownMs(at, states);
    if (shown !== undefined && shown !== shownMoment.peek()) shownMoment.value = shown;
    this.#showLive(shown, nowMs);
    const span = shownSpan.peek();
    if (!isPlaying.peek() || this.#isTimelineDetached || this.#drawing !== undefined) return;
    const next = following(span, at);
    // By what can be seen, not with each picture.
    if (Math.abs(next.from - span.from) > lengthOf(span) * STEP_PART) showSpan(next);
  }

  /** When the pictures that are seen were taken; the active camera's where it has one. */
  #shownMs(at: number, states: readonly CameraState[]): number | undefined {
    const cameras = playedCameras.peek();
    if (states.every((state) => state === "none")) return at;
    const withState = (wanted: (state: CameraState | undefined) => boolean) => {
      const found = cameras.filter((_camera, index) => wanted(states[index]));
      return found.find(({ channel }) => channel === active.peek()) ?? found[0];
    };
    const camera = withState((state) => state === "shown") ?? withState((state) => state !== "none");
    return camera?.shownMs(at);
  }

  /** What a bucket has ends some minutes before now, and is not live. */
  #showLive(shown: number | undefined, nowMs: number): void {
    const oldestMs = isLive.peek() ? LIVE_KEPT_MS : LIVE_MS;
    const isNew = shown !== undefined && recorderNow() - shown < oldestMs;
    const live = isNew && !isBucket() && isPlaying.peek() && speed.peek() > 0;
    if (live && nowMs - this.#liveSaidMs > LIVE_SAID_MS) say(playbackWords().atEdge);
    if (live) this.#liveSaidMs = nowMs;
    if (isLive.peek() !== live) isLive.value = live;
  }

  /** The timeline is being dragged by hand: it does not follow the playback until the next order. */
  detachTimeline(): void {
    this.#isTimelineDetached = true;
  }
}

/**
 * All cameras show a moment. While a hand is drawn, the one whose time is said goes first: the others show their key frames that are nearest
 * to its own, whose times are others.
 */
function followAll(
  cameras: readonly PlayedCamera[],
  place: PlaybackPlace,
  nowMs: number,
): readonly CameraState[] {
  const first = cameras.find(({ channel }) => channel === active.peek()) ?? cameras[0];
  const state = first?.follow(place, nowMs);
  const others = place.isDrawn ? { ...place, shownMs: first?.drawnMs } : place;
  return cameras.map((camera) =>
    camera === first && state !== undefined ? state : camera.follow(others, nowMs),
  );
}

function isToCome(state: CameraState | undefined): boolean {
  return state === "awaited" || state === "late";
}

/** The moment waits for the pictures of all cameras, but not for one that is late while another one shows its own. */
function holds(states: readonly CameraState[]): boolean {
  if (states.includes("awaited")) return true;
  return states.includes("late") && !states.includes("shown");
}

export const playing = new Playing();
