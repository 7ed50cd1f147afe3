import type { CameraHealth, StreamHealth } from "../report/camera-health.js";
import type { HealthFigures } from "../report/health-figures.js";
import { counter, gauge, type Labels, type MetricDefinition, type Sample } from "./metric.js";

const CHANNEL = ["channel", "name"];
const STREAM = [...CHANNEL, "stream"];

function channelLabels({ id, name }: CameraHealth): Labels {
  return { channel: id, name };
}

function ofChannels(read: (camera: CameraHealth) => boolean) {
  return ({ cameras }: HealthFigures): readonly Sample[] =>
    cameras
      .filter(({ isDisabled }) => !isDisabled)
      .map((camera) => [Number(read(camera)), channelLabels(camera)] as const);
}

function ofStreams(read: (stream: StreamHealth) => number) {
  return ({ cameras }: HealthFigures): readonly Sample[] =>
    cameras.flatMap((camera) =>
      camera.streams.map(
        (stream) => [read(stream), { ...channelLabels(camera), stream: stream.streamType }] as const,
      ),
    );
}

/** Metrics of cameras and their streams: at most 256 cameras of 4 streams. */
export const CAMERA_METRICS: readonly MetricDefinition[] = [
  gauge(
    "nvrd_cameras",
    "Cameras by state: configured (all), enabled, connected, to_record (to be recorded now), recording.",
    ["state"],
    ({ cameras }) => {
      const enabled = cameras.filter(({ isDisabled }) => !isDisabled);
      return [
        [cameras.length, { state: "configured" }],
        [enabled.length, { state: "enabled" }],
        [enabled.filter(({ isConnected }) => isConnected).length, { state: "connected" }],
        [enabled.filter(({ mustRecord }) => mustRecord).length, { state: "to_record" }],
        [enabled.filter(({ isRecording }) => isRecording).length, { state: "recording" }],
      ];
    },
  ),
  gauge(
    "nvrd_channel_connected",
    "1 while the camera sends frames.",
    CHANNEL,
    ofChannels(({ isConnected }) => isConnected),
  ),
  gauge(
    "nvrd_channel_to_record",
    "1 while the camera is to be recorded, by its mode, schedule, motion or a user.",
    CHANNEL,
    ofChannels(({ mustRecord }) => mustRecord),
  ),
  gauge(
    "nvrd_channel_recording",
    "1 while the camera's frames go to the disk.",
    CHANNEL,
    ofChannels(({ isRecording }) => isRecording),
  ),
  counter(
    "nvrd_stream_frames_total",
    "Frames that came from the camera, pictures and sound together.",
    STREAM,
    ofStreams(({ frames }) => frames),
  ),
  counter(
    "nvrd_stream_bytes_total",
    "Bytes of the frames that came from the camera.",
    STREAM,
    ofStreams(({ bytes }) => bytes),
  ),
  counter(
    "nvrd_stream_damaged_frames_total",
    "Frames that arrived incomplete, or that cannot be decoded because a frame they refer to is missing.",
    STREAM,
    ofStreams(({ damagedFrames }) => damagedFrames),
  ),
  counter(
    "nvrd_stream_connects_total",
    "How often the camera started to send; each after the first is a reconnect.",
    STREAM,
    ofStreams(({ connects }) => connects),
  ),
  counter(
    "nvrd_stream_dropped_frames_total",
    "Video frames that should have been recorded and were not: the disks were absent or did not keep up.",
    STREAM,
    ofStreams(({ framesDropped }) => framesDropped),
  ),
  counter(
    "nvrd_stream_thinned_frames_total",
    "Video frames left out so that the key frames could be recorded.",
    STREAM,
    ofStreams(({ framesThinned }) => framesThinned),
  ),
  gauge(
    "nvrd_stream_viewers",
    "Consumers of the live stream now; all viewers of one transcode count once.",
    STREAM,
    ofStreams(({ viewers }) => viewers),
  ),
];
