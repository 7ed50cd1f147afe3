import { SEEN_KINDS, STREAM_TYPES } from "../../base/index.js";
import {
  choice,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  nullable,
  number,
  optional,
  text,
  type ValueOf,
  whole,
} from "../kinds/kinds.js";
import { cameraStream } from "../resource/camera.js";
import { LOSS_IDS, LOST_CAUSES } from "./stream.js";

/** What is known of a channel, and asked of its camera: `/api/channels/{id}/…`. */

const STATUSES = ["Ok", "Losing", "Waiting", "Connecting", "Lost", "Idle"] as const;
const cause = meaning("Null if nothing is lost.", nullable(choice(...LOST_CAUSES)));
const reason = meaning("The cause in words: [what to do](../guide/cameras.md).", nullable(text));
const pixels = meaning("Null before the first frame.", nullable(whole(1, Number.POSITIVE_INFINITY)));

const loss = group({
  Reason: meaning("For programs.", choice(...LOSS_IDS)),
  Kind: meaning("What is lost.", choice("Pictures", "Sound")),
  Text: meaning("What is wrong, in the asked `language`.", text),
  Remedy: meaning("What to do.", text),
  Count: meaning("Lost since the stream was made; 0 where nothing arrives that could be counted.", integer),
});
export type StreamLoss = ValueOf<typeof loss>;

/** The state of one stream for an installer: what is wrong, and what to do. */
const streamStatus = group({
  StreamType: choice(...STREAM_TYPES),
  Status: choice(...STATUSES),
  Cause: cause,
  Reason: reason,
  Codec: meaning(
    "The stream's codec; null before the first frame.",
    nullable(choice(...cameraStream.VideoFormat.of)),
  ),
  Width: pixels,
  Height: pixels,
  Losses: meaning(
    "What of the stream cannot be recorded now, or could not within the last minute.",
    listOf(loss),
  ),
});
export type StreamStatus = ValueOf<typeof streamStatus>;

/** Existing programs use only Status. */
export const channelStatus = group({
  Status: meaning(
    "`Ok` while frames arrive and all of them can be recorded; else the worst of the streams: `Lost`, `Connecting`, `Waiting` while the camera sends and its next key frame has not come yet, `Losing` while something that arrives cannot be recorded (`Losses` says what); `Idle` if none of them is requested, or `Disabled`.",
    choice(...STATUSES, "Disabled"),
  ),
  Cause: cause,
  Reason: reason,
  IsRecording: flag,
  RecordingReason: meaning(
    "Why the channel is to be recorded now; null when it is not. While the clock is not known to be set, a channel with a schedule is always recorded, and this says so.",
    nullable(text),
  ),
  Streams: meaning("The enabled streams.", listOf(streamStatus)),
  DeviceArchive: optional(
    meaning(
      "How gaps of the recording are filled from the camera's own archive. Absent while `DeviceArchiveEnabled` is off.",
      group({
        IsFilling: flag,
        GapsWaiting: meaning("Gaps that failed and are tried again.", integer),
        GapsGivenUp: meaning("Gaps that are not tried any more.", integer),
        Reason: meaning("Why the newest of these failed.", nullable(text)),
      }),
    ),
  ),
});
export type ChannelStatus = ValueOf<typeof channelStatus>;

const seen = choice(...SEEN_KINDS);

/** The events that a camera offers. */
export const offeredEvents = listOf(
  group({
    Topic: meaning("The camera's own name for it, without prefixes.", text),
    Kind: meaning("What the recorder takes it for; null: it has no use for it.", nullable(seen)),
    Kinds: meaning("All that it takes its messages for; `Kind` is the first.", listOf(seen)),
    IsUsed: flag,
    Setting: meaning(
      "The setting of the camera that is off and would have it used; null: no setting would.",
      nullable(choice("BuildInCameraDetectorEnabled", "IoProcessingEnabled", "CameraEventSettings")),
    ),
    IsState: meaning("It begins and ends; false: it is a moment.", flag),
    Source: meaning("The names of what a message says of its place.", listOf(text)),
    Data: meaning("The names of what a message says.", listOf(text)),
  }),
);
export type OfferedEvents = ValueOf<typeof offeredEvents>;

/** The kinds of what cameras report: `/api/cameraeventkinds`. */
export const eventKinds = listOf(
  group({
    Kind: seen,
    Name: meaning("The name of the event type with which it begins.", text),
    EventId: meaning("The type of its beginning, or of its moment.", id),
    EndEventId: meaning("The type of its end.", id),
    IsPresence: meaning(
      "Somebody or something is there: a camera whose own detector is used is recorded on it by default.",
      flag,
    ),
  }),
);
export type EventKinds = ValueOf<typeof eventKinds>;

/** The digital outputs (relays) of a camera. */
export const outputs = listOf(
  group({
    Output: meaning("The camera's own name for it.", text),
    PulseSeconds: meaning(
      "The camera switches it off by itself after so many seconds; null: it stays as it was switched.",
      nullable(number),
    ),
  }),
);
export type Outputs = ValueOf<typeof outputs>;

/** The outputs of all cameras: `/api/outputs`. */
export const camerasOutputs = listOf(
  group({
    ChannelId: id,
    Outputs: meaning("Null while the camera has not named them.", nullable(outputs)),
  }),
);
export type CamerasOutputs = ValueOf<typeof camerasOutputs>;

/** The privacy masks of a camera: what it hides in its own pictures. */
export const cameraMasks = group({
  MasksMax: meaning("How many there may be.", integer),
  PointsMax: meaning("Corners of a mask.", integer),
  IsRectangleOnly: meaning("The camera takes rectangles alone.", flag),
  Masks: listOf(
    group({
      Mask: meaning("The camera's own name for it.", text),
      Points: listOf(group({ X: number, Y: number })),
      IsEnabled: flag,
    }),
  ),
});
export type CameraMasks = ValueOf<typeof cameraMasks>;

export const outputSwitched = group({ ChannelId: id, Output: text, IsOn: flag, Seconds: nullable(integer) });
export type OutputSwitched = ValueOf<typeof outputSwitched>;
