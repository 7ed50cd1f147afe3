import { signal } from "@preact/signals";
import type { PlaySpeed } from "../../../contract/answer/index.js";
import { say } from "../../control/notice.js";
import { connection, liveSocket } from "../../player/live-socket.js";
import { PlaybackClock } from "../../player/playback-clock.js";
import type { GapMessage, Playback, PlaybackMessage, Refusal } from "../../player/watch.js";
import { recorderNow } from "../../state/recorder-time.js";
import { isBucket } from "../../state/session.js";
import { playbackWords } from "../../words/playback.js";
import { nearWords } from "../time/format.js";
import { following, lengthOf } from "../timeline/span.js";
import { reasonWords } from "../timeline/words.js";
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
import { type CameraState, PlayedCamera } from "./played-camera.js";

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

/** The cameras that are played, in the order in which they were chosen. */
export const playedCameras = signal<readonly PlayedCamera[]>([]);

/** Plays the chosen cameras in step. One for the page, as the service has one playback for a connection. */
class Playing {
  readonly #clock = new PlaybackClock(() => performance.now());
  #playback: Playback | undefined;
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
  readonly #ahead = new LookAhead();
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
    const cameras = ids.map((id) => new PlayedCamera(id, (gap) => this.#onGap(id, gap)));
    playedCameras.value = cameras;
    this.#clock.set(cursor.peek());
    this.#clock.setSpeed(speed.peek());
    this.#orderedAtMs = performance.now();
    this.#playback = liveSocket.play(
      {
        watches: cameras.map((camera) => ({
          order: {
            channel: camera.channel,
            tile: { width: 640, height: 360 },
            sound: heard.peek() === camera.channel,
          },
          listener: camera,
        })),
        from: Math.min(cursor.peek(), recorderNow()),
        speed: speed.peek(),
        paused: isPaused,
      },
      {
        onPlayback: (message) => this.#onPlayback(message),
        onRefused: (refusal) => this.#onRefused(refusal),
        position: () => this.#clock.at(),
      },
    );
    for (const [index, watch] of this.#playback.watches.entries()) {
      const camera = cameras[index];
      if (camera !== undefined) camera.watch = watch;
    }
    for (const camera of cameras) camera.video.muted = heard.peek() !== camera.channel;
    playState.value = isPaused ? "paused" : "playing";
    this.#frame = requestAnimationFrame(this.#onFrame);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#playback?.close();
    this.#playback = undefined;
    for (const camera of playedCameras.peek()) camera.close();
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
    this.#ahead.forget();
    playState.value = "idle";
    isLive.value = false;
    isAwaited.value = false;
    isStanding.value = false;
  }

  /** Shows another moment; of many in a row those are left out for which there is no time. */
  seek(to: number): void {
    const at = Math.max(0, Math.min(to, recorderNow()));
    cursor.value = at;
    if (this.#playback === undefined) return;
    this.#next = at;
    this.#seekNext();
  }

  /** A hand takes the playhead. What is seen on the way comes at once, before the hand is there. */
  beginDrawing(): void {
    const playback = this.#playback;
    if (playback === undefined || this.#drawing !== undefined) return;
    const nowMs = performance.now();
    this.#ahead.forget();
    this.#drawing = new Drawing(this.#ordered?.plays ?? isPlaying.peek(), nowMs);
    this.#clock.run(false);
    this.#isSent = false;
    const cameras = playedCameras.peek();
    for (const camera of cameras) {
      camera.keepAll(true);
      camera.jump(true);
    }
    const { from, to } = shownSpan.peek();
    const end = Math.min(to, recorderNow());
    const every = scanStep(end - from, cameras.length);
    playback.scan({ from: Math.max(0, from), to: Math.max(0, end), every });
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
    for (const camera of playedCameras.peek()) camera.keepAll(false);
    this.#orderedAtMs = undefined;
    this.seek(cursor.peek());
    if (drawing.plays) this.#playback?.resume();
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
    this.#comeBack();
    playState.value = "playing";
    this.#playback?.resume();
  }

  pause(): void {
    this.#comeBack();
    this.#clock.run(false);
    this.#playback?.pause();
  }

  /** A pointer is over a moment of the timeline, or gone: while all stands, what is there is fetched before it clicks. */
  hover(at: number | undefined): void {
    this.#ahead.hover(at, performance.now());
  }

  resume(): void {
    this.#comeBack();
    this.#isWanted = this.#playback === undefined;
    if (playState.peek() === "start") this.setSpeed(1);
    this.#playback?.resume();
  }

  setSpeed(next: PlaySpeed): void {
    if (Math.sign(next) !== Math.sign(speed.peek())) this.#gaps.forget();
    this.#comeBack();
    speed.value = next;
    this.#speedAtMs = performance.now();
    this.#playback?.speed(next);
  }

  /** Plays in a direction; faster where it does already. */
  shuttle(direction: 1 | -1): void {
    const now = speed.peek();
    const isSame = isPlaying.peek() && Math.sign(now) === direction;
    this.setSpeed(isSame ? Math.max(-32, Math.min(32, now * 2)) : direction);
    if (!isPlaying.peek()) this.#playback?.resume();
  }

  step(by: 1 | -1): void {
    this.#comeBack();
    this.#clock.run(false);
    this.#playback?.step(by);
  }

  toLive(): void {
    if (speed.peek() !== 1) this.setSpeed(1);
    this.seek(recorderNow());
    if (!isPlaying.peek()) this.#playback?.resume();
  }

  hear(channel: string | undefined): void {
    this.#comeBack();
    heard.value = channel;
    for (const camera of playedCameras.peek()) camera.hear(camera.channel === channel);
  }

  /** The pictures of the moment under a pointer that rests there, while those of the playback's own stay on the screen. */
  #lookAhead(nowMs: number): void {
    const mayLook =
      playState.peek() === "paused" && this.#drawing === undefined && heard.peek() === undefined;
    if (!mayLook || this.#next !== undefined || this.#orderedAtMs !== undefined || isBucket()) return;
    const cameras = playedCameras.peek();
    const to = this.#ahead.wanted(nowMs);
    if (
      to === undefined ||
      to > recorderNow() ||
      !cameras.every((camera) => camera.mayLookAhead(this.#clock.at()))
    )
      return;
    if (cameras.every((camera) => camera.has(to))) return;
    this.#orderedAtMs = nowMs;
    this.#ahead.begin(to);
    for (const camera of cameras) camera.lookAhead();
    this.#playback?.look(to);
  }

  /** The service is where the pointer was: before another order it is to be where the playback is. */
  #comeBack(): void {
    if (!this.#ahead.isAway || this.#next !== undefined) return;
    this.#orderedAtMs = undefined;
    this.#next = this.#clock.at();
    this.#seekNext(true);
  }

  /** All stands, and the very pictures of a moment have come. */
  #isInHand(at: number): boolean {
    const isStill = playState.peek() === "paused" && this.#ordered === undefined;
    return isStill && playedCameras.peek().every((camera) => camera.has(at));
  }

  /** @param isAsked The service is to hear of it in any case. */
  #seekNext(isAsked = false): void {
    const now = performance.now();
    const waits = this.#orderedAtMs !== undefined && now - this.#orderedAtMs < ANSWER_MS;
    if (this.#next === undefined || waits) return;
    const to = this.#next;
    this.#next = undefined;
    this.#isTimelineDetached = false;
    this.#goesOnAt = undefined;
    this.#gaps.forget();
    if (!isAsked && this.#isInHand(to)) {
      // Nothing is asked for; the service hears of it with the next order.
      this.#ahead.begin();
      this.#clock.set(to);
      return;
    }
    this.#orderedAtMs = now;
    this.#isSent = false;
    this.#ahead.end();
    for (const camera of playedCameras.peek()) camera.jump();
    this.#clock.set(to);
    this.#playback?.seek(to);
  }

  #onPlayback({ state, time, speed: played }: PlaybackMessage): void {
    if (this.#drawing === undefined && this.#ahead.takesAnswer(time)) {
      // Where another order was given meanwhile, its own answer follows.
      if (this.#ahead.isAway) this.#orderedAtMs = undefined;
      this.#seekNext();
      return;
    }
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
    // What it has sent is of the moment under the pointer.
    if (this.#ahead.isAway) return;
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
    const cameras = playedCameras.peek();
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
    const states = cameras.map((camera) => camera.follow(place, nowMs));
    const isHeld = holds(states);
    this.#clock.hold(isHeld);
    this.#jumpGap(states);
    this.#watchStanding(states, isHeld, nowMs);
    this.#show(at, states, nowMs);
    this.#lastFrame = { nowMs, at, isLive: isLive.peek() };
  };

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
    const cameras = playedCameras.peek();
    const anew = cameras.filter((camera, index) =>
      camera.lookWhetherItMoves(mayCome && isToCome(states[index]), this.#clock.speed, nowMs),
    );
    const stands = isHeld && cameras.some((camera) => camera.isStanding.peek());
    if (isStanding.peek() !== stands) isStanding.value = stands;
    if (anew.length === 0 || this.#playback === undefined) return;
    console.warn("the playback begins anew, as it stands still:", anew.map(({ channel }) => channel).join());
    for (const camera of cameras) camera.beginAnew(nowMs);
    this.#ahead.end();
    this.#isSent = false;
    this.#orderedAtMs = performance.now();
    this.#playback.restart();
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

function isToCome(state: CameraState | undefined): boolean {
  return state === "awaited" || state === "late";
}

/** The moment waits for the pictures of all cameras, but not for one that is late while another one shows its own. */
function holds(states: readonly CameraState[]): boolean {
  if (states.includes("awaited")) return true;
  return states.includes("late") && !states.includes("shown");
}

export const playing = new Playing();
