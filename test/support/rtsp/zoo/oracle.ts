import { splitMjpeg, splitMpeg4 } from "../../media/elementary-units.js";
import { splitNalUnits } from "../../media/nal-units.js";
import type { ZooCodec } from "./codecs.js";

import { otherUnits, pictureUnits } from "./cutting.js";
import type { SentPicture, ZooCamera } from "./zoo-camera.js";

/** How long after the first picture everything counts. */
const EDGE_US = 800_000;
/** The recorder finds out within this time that the first picture had waited for others. */
const SETTLED_US = 12_000_000;
const LONG_WAIT_US = 500_000;

/** A frame as the archive gave it back, its bytes copied. */
export interface RecordedFrame {
  readonly bytes: Buffer;
  readonly isAudio: boolean;
  readonly timeUs: number;
  /** When it is shown: later than `timeUs`, where pictures are shown in another order than they come. */
  readonly shownUs: number;
  readonly startsFragment: boolean;
}

/** What became of what a camera sent. */
export interface Verdict {
  readonly sent: number;
  readonly recorded: number;
  /** Sent, and not recorded as sent. */
  readonly missing: readonly SentPicture[];
  /** Recorded, and not what was sent next: split, changed, twice or out of order. */
  readonly strange: number;
  /** Units that go with pictures, sent and not recorded. */
  readonly othersMissing: number;
  readonly fragments: number;
  /** The greatest distance of a time from the arrival, and whether times ever go back. */
  readonly offMs: number;
  readonly timesGoBack: boolean;
  readonly soundSent: number;
  readonly soundRecorded: number;
  /** Bytes of sound that are not what was sent. */
  readonly soundStrange: number;
  /** The greatest distance of the time of a sound from its arrival. */
  readonly soundOffMs: number;
  readonly sessions: number;
}

/** Compares what the archive has with what the camera sent. */
export function judge(camera: ZooCamera, frames: readonly RecordedFrame[]): Verdict {
  const { codec } = camera.clip;
  const pictures = frames.filter((frame) => !frame.isAudio);
  const texts = pictures.map(({ bytes }) => recordedText(codec, bytes));
  const sentTexts = camera.pictures.map(({ units }) => sentText(codec, units));
  const isRecorded = new Set<number>();
  let next = 0;
  let strange = 0;
  let offUs = 0;
  let first: SentPicture | undefined;
  for (const [at, text] of texts.entries()) {
    const found = sentTexts.indexOf(text, next);
    const sent = camera.pictures[found];
    if (sent === undefined) {
      strange += 1;
      continue;
    }
    isRecorded.add(found);
    next = found + 1;
    first ??= sent;
    offUs = Math.max(offUs, offOf(camera, first, sent, pictures[at]?.shownUs ?? 0));
  }
  return {
    sent: camera.pictures.length,
    recorded: isRecorded.size,
    missing: camera.pictures.filter((_, at) => !isRecorded.has(at)),
    strange,
    othersMissing: missingOthers(camera, pictures),
    fragments: frames.filter(({ startsFragment }) => startsFragment).length,
    offMs: Math.round(offUs / 1000),
    timesGoBack: pictures.some(({ timeUs }, at) => timeUs <= (pictures[at - 1]?.timeUs ?? 0)),
    ...judgeSound(camera, frames),
    sessions: camera.plays,
  };
}

/**
 * When a picture is to be shown: when it came, less the time that it had waited for those that it needs and that are shown after it.
 * Times of decoding say less: they lie before those of all that is shown later, by seconds where two pictures are taken in one.
 */
function dueUs(camera: ZooCamera, { picture: { index, shownLater }, sentUs }: SentPicture): number {
  return sentUs + 1000 * (camera.takenMs(index + shownLater) - camera.encodedMs(index));
}

/**
 * How far a picture's time is from when it is to be shown. Where the camera's timestamps are not the time, nothing says how long the
 * picture has waited for others: any time from when it was taken until it came is right. A recording whose `first` picture has waited
 * for long is late by that wait until the recorder has seen one that waits for none.
 */
function offOf(camera: ZooCamera, first: SentPicture, sent: SentPicture, shownUs: number): number {
  const takenUs = dueUs(camera, sent);
  const waitedUs = Math.max(0, sent.sentUs - takenUs);
  const firstUs = first.sentUs - dueUs(camera, first);
  const isLate = firstUs > LONG_WAIT_US && sent.sentUs < first.sentUs + SETTLED_US;
  if (isLate) return apartUs(shownUs, takenUs + waitedUs + firstUs, sent.heldUs + waitedUs + firstUs);
  return camera.keepsTime
    ? apartUs(shownUs, takenUs, sent.heldUs)
    : apartUs(shownUs, takenUs + waitedUs, sent.heldUs + waitedUs);
}

/** How far a time is from when something came. The camera's clock went on while it was held up: either time is right, and all between. */
function apartUs(timeUs: number, cameUs: number, heldUs: number): number {
  return Math.max(0, timeUs - cameUs, cameUs - heldUs - timeUs);
}

/** SEI and the like, which may have come into another frame than they were sent with. */
function missingOthers({ clip: { codec }, pictures }: ZooCamera, frames: readonly RecordedFrame[]): number {
  if (codec !== "h264" && codec !== "h265") return 0;
  const recorded = frames.flatMap(({ bytes }) => otherUnits(codec, splitNalUnits(bytes)));
  const firstUs = frames[0]?.timeUs ?? Number.POSITIVE_INFINITY;
  const due = pictures.filter(({ sentUs }) => sentUs > firstUs + EDGE_US);
  // What is sent after the last picture may have had no picture to go with.
  const sent = due.slice(0, -1).flatMap(({ units }) => otherUnits(codec, units));
  let at = 0;
  let missing = 0;
  for (const unit of sent) {
    const found = recorded.findIndex((other, index) => index >= at && other.equals(unit));
    if (found < 0) missing += 1;
    else at = found + 1;
  }
  return missing;
}

/** Sound counts from the first picture that was recorded on: before, there is nothing that it could belong to. */
function judgeSound(camera: ZooCamera, frames: readonly RecordedFrame[]) {
  const { sound } = camera;
  const first = frames.find(({ isAudio }) => !isAudio);
  const due = camera.sounds.filter(({ sentUs }) => first !== undefined && sentUs > first.timeUs + EDGE_US);
  const verdict = { soundSent: due.length, soundRecorded: 0, soundStrange: 0, soundOffMs: 0 };
  if (sound === undefined) return { ...verdict, soundSent: 0 };
  const heard = frames.filter(({ isAudio }) => isAudio);
  const all = Buffer.concat(heard.map(({ bytes }) => bytes));
  if (sound.recordedBytes !== undefined) {
    const units = Math.floor(all.length / sound.recordedBytes);
    return { ...verdict, soundRecorded: Math.min(due.length, units) };
  }
  const timeAt = timesOf(heard);
  let at: number | undefined;
  for (const { sound: unit, sentUs, heldUs } of due) {
    const bytes = sound.recorded(unit.index);
    const found = all.indexOf(bytes, at ?? 0);
    if (found < 0) continue;
    verdict.soundRecorded += 1;
    verdict.soundStrange += at === undefined ? 0 : found - at;
    const offMs = Math.round(apartUs(timeAt(found), sentUs, heldUs) / 1000);
    verdict.soundOffMs = Math.max(verdict.soundOffMs, offMs);
    at = found + bytes.length;
  }
  return verdict;
}

/** The time of the frame that byte `at` of all sound lies in; asked in ascending order. */
function timesOf(heard: readonly RecordedFrame[]): (at: number) => number {
  let frame = 0;
  let end = heard[0]?.bytes.length ?? 0;
  return (at) => {
    while (at >= end && frame < heard.length - 1) {
      frame += 1;
      end += heard[frame]?.bytes.length ?? 0;
    }
    return heard[frame]?.timeUs ?? 0;
  };
}

function sentText(codec: ZooCodec, units: readonly Buffer[]): string {
  if (codec === "mjpeg") return splitMjpeg(Buffer.concat(units)).join();
  if (codec === "mpeg4") return splitMpeg4(Buffer.concat(units)).join();
  return textOf(pictureUnits(codec, units));
}

function recordedText(codec: ZooCodec, bytes: Buffer): string {
  if (codec === "mjpeg") return splitMjpeg(bytes).join();
  if (codec === "mpeg4") return splitMpeg4(bytes).join();
  return textOf(pictureUnits(codec, splitNalUnits(bytes)));
}

function textOf(units: readonly Buffer[]): string {
  return units.map((unit) => unit.toString("base64")).join(" ");
}
