import { choice, flag, id, meaning, needed, whole } from "../kinds/kinds.js";
import { ids, moment, momentOrUnix, onOff, or, type Parameters } from "./parameters.js";
import { channelParameters, formatQuery, optionalPicture, streamType } from "./viewing.js";

/** What is recorded: lists, files and drawings of it. */

/** What a file is made of; `channelParameters` says of which channel. */
export const exportParameters = {
  fromtime: meaning("The file begins with the key frame at or before it.", needed(moment)),
  totime: meaning(
    "Where the file ends; at most 24 hours later. An end in the far future means now, and the 24 hours then count to now.",
    needed(moment),
  ),
  streamtype: meaning("The stream. When left out: all that is recorded of the channel.", streamType),
  part: meaning(
    "Only the part of this number, from 1 on: a file whose pictures are all of one codec.",
    whole(1, 9999),
  ),
  sound: meaning("`on` adds the recorded sound.", onOff),
} as const satisfies Parameters;

export const exportQuery = {
  ...channelParameters,
  ...exportParameters,
  digest: meaning("The file's SHA-256 instead of the file.", flag),
} as const satisfies Parameters;

export const fragmentsQuery = {
  channelid: meaning("The channel.", needed(id)),
  fromtime: meaning("The first moment of the interval.", needed(moment)),
  totime: meaning("The last moment of the interval.", needed(moment)),
  streamtype: meaning(
    "The stream. When left out: all that is recorded of the channel; each moment counts once.",
    streamType,
  ),
  ...formatQuery,
} as const satisfies Parameters;

/** A time of what a camera has kept. */
export const deviceArchiveQuery = {
  fromtime: meaning("The first moment.", needed(moment)),
  totime: meaning("The end, later.", needed(moment)),
} as const satisfies Parameters;

const CHANNELS_MAX = 64;

export const timelineQuery = {
  channels: meaning(
    `Ids of channels, separated by commas; at most ${CHANNELS_MAX}.`,
    needed(ids(CHANNELS_MAX)),
  ),
  from: meaning(
    "The first moment: Unix milliseconds, ISO 8601, or any other accepted time.",
    needed(momentOrUnix),
  ),
  to: meaning("The end, written as `from`: later, by 366 days at most.", needed(momentOrUnix)),
  steps: meaning(
    "Into how many steps the time is divided: the width of the drawing in pixels.",
    or(whole(1, 4000), 2000),
  ),
} as const satisfies Parameters;

export const stripQuery = {
  channel: meaning("The channel's id.", needed(id)),
  from: meaning(
    "The first moment, written as for [`/api/timeline`](#get-apitimeline).",
    needed(momentOrUnix),
  ),
  to: meaning("The end: later, by 366 days at most.", needed(momentOrUnix)),
  count: meaning("How many pictures.", or(whole(1, 60), 10)),
  width: meaning("The width of a picture; at most the real one.", or(whole(16, 480), 160)),
  ...optionalPicture,
} as const satisfies Parameters;

/** What becomes of the recordings of a camera that is removed. */
export const removalQuery = {
  archive: meaning("Whether its recordings are deleted now.", or(choice("keep", "delete"), "keep")),
} as const satisfies Parameters;
