import { type Language, STREAM_TYPES } from "../../base/index.js";
import { FORMAT_DEFAULT } from "../../camera/index.js";
import type { ChannelStatus, StreamLoss, StreamStatus } from "../../contract/answer/index.js";
import {
  Codec,
  codecName,
  type LiveStream,
  LOSS_RULES,
  lossWords,
  type StreamState,
  streamTrouble,
} from "../../live/index.js";
import { reasonText } from "../../recording/index.js";
import { type Camera, cameraOptions, type VideoFormatName } from "../../site/index.js";
import type { ChannelNeeds } from "./recording-states.js";

const WORDS: Readonly<Record<StreamState["state"], StreamStatus["Status"]>> = {
  lost: "Lost",
  connecting: "Connecting",
  waiting: "Waiting",
  active: "Ok",
  idle: "Idle",
};

/** Worst first: the channel has the worst state of its streams. A stream that is not requested is idle. */
const WORST_FIRST = ["Lost", "Connecting", "Waiting", "Losing", "Ok"];

const FORMATS: Readonly<Partial<Record<Codec, VideoFormatName>>> = {
  [Codec.H264]: "H264",
  [Codec.H265]: "Hevc",
  [Codec.MPEG4]: "MPEG4_Part2",
  [Codec.MJPEG]: "MJPEG",
};

/** The state of a channel and its enabled streams. */
export function channelStatus(needs: ChannelNeeds, camera: Camera, language: Language = "en"): ChannelStatus {
  const IsRecording = needs.recording.isRecording(camera.id);
  const { reason } = needs.recording.state(camera.id);
  const RecordingReason = reason === undefined ? null : reasonText(reason);
  if (camera.disabled) {
    const Reason = "the channel is switched off";
    return { Status: "Disabled", Cause: null, Reason, IsRecording, RecordingReason, Streams: [] };
  }
  const streams = STREAM_TYPES.flatMap((type) => {
    const stream = needs.streams.stream(camera.id, type);
    return stream === undefined
      ? []
      : [streamStatus(stream, camera.connection.streams[type].format, language)];
  });
  const worst = WORST_FIRST.flatMap((word) => streams.find(({ Status }) => Status === word) ?? [])[0];
  const shown = worst?.Reason == null ? streams.find(({ Reason }) => Reason !== null) : worst;
  return {
    Status: worst?.Status ?? "Idle",
    Cause: worst?.Cause ?? null,
    Reason: shown === undefined ? null : `${shown.StreamType}: ${shown.Reason}`,
    IsRecording,
    RecordingReason,
    Streams: streams,
    ...deviceArchive(needs, camera),
  };
}

function deviceArchive({ gapFills }: ChannelNeeds, camera: Camera): Pick<ChannelStatus, "DeviceArchive"> {
  if (!cameraOptions(camera).archive.deviceArchiveEnabled) return {};
  const { isFilling, gaps } = gapFills.state(camera.id);
  const waiting = gaps.filter(({ state }) => state === "waiting");
  const givenUp = gaps.filter(({ state }) => state === "given-up");
  const newest = gaps.findLast(({ state }) => state !== "filled");
  const counts = { GapsWaiting: waiting.length, GapsGivenUp: givenUp.length };
  return { DeviceArchive: { IsFilling: isFilling, ...counts, Reason: newest?.reason ?? null } };
}

function streamStatus(stream: LiveStream, wanted: VideoFormatName, language: Language): StreamStatus {
  const { state, videoFormat } = stream;
  const isLost = state.state === "lost";
  const sent = videoFormat === undefined ? undefined : FORMATS[videoFormat.codec];
  const Losses = streamLosses(stream, language);
  const isLosing = state.state === "active" && Losses.some(({ Reason }) => LOSS_RULES[Reason].isLoss);
  return {
    StreamType: stream.key.streamType,
    Status: isLosing ? "Losing" : WORDS[state.state],
    Cause: isLost ? (state.cause ?? null) : null,
    Reason: streamReason(stream, wanted, language),
    Codec: sent ?? null,
    Width: pixels(videoFormat?.width),
    Height: pixels(videoFormat?.height),
    Losses,
  };
}

/** Why the stream is not as it should be; null if it is. */
function streamReason(stream: LiveStream, wanted: VideoFormatName, language: Language): string | null {
  const { state, videoFormat } = stream;
  if (state.state === "lost") return state.reason;
  // The default is nobody's choice: a device may not say what its profile is, and Media calls H.265 H.264.
  const isOther =
    videoFormat !== undefined && wanted !== FORMAT_DEFAULT && FORMATS[videoFormat.codec] !== wanted;
  if (state.state === "active" && isOther)
    return `the camera sends ${codecName(videoFormat.codec)}, the settings say ${wanted}: correct one of them`;
  const trouble = streamTrouble(stream, language).flat();
  return trouble.length === 0 ? null : trouble.join(". ");
}

function streamLosses({ losses, state }: LiveStream, language: Language): StreamLoss[] {
  if (state.state !== "active" && state.state !== "waiting") return [];
  return losses.reported.map((loss) => {
    const [Text, Remedy] = lossWords(loss, language);
    const Kind = LOSS_RULES[loss.id].kind === "sound" ? "Sound" : "Pictures";
    return { Reason: loss.id, Kind, Text, Remedy, Count: loss.count };
  });
}

/** 0 means not known yet. */
function pixels(count: number | undefined): number | null {
  return count === undefined || count === 0 ? null : count;
}
