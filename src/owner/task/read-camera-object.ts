import {
  type DeviceDescription,
  type DeviceProfile,
  type DeviceReading,
  READING_RESULTS,
  type StreamTrial,
  streamsOfSource,
} from "../../camera/index.js";
import {
  choice,
  FLAG,
  type JsonSchema,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  TEXT,
  WHOLE,
} from "../../route/index.js";

const STREAM = objectOf({
  Format: meaning("As the camera names it.", TEXT),
  Width: WHOLE,
  Height: WHOLE,
  FramesPerSecond: orNull(NUMBER),
  KbitPerSecond: meaning(
    "The limit that the camera is set to; by its stream's address, as measured.",
    orNull(NUMBER),
  ),
});

/** A camera that was read with a login, and nothing of it stored. */
export const READ_CAMERA: JsonSchema = named(
  "ReadCamera",
  objectOf({
    Address: TEXT,
    Identity: TEXT,
    Name: TEXT,
    State: meaning("`Waiting` until it was read.", choice(["Waiting", "Read"])),
    Result: meaning("[The results](../guide/cameras.md#add).", choice(READING_RESULTS)),
    Reason: TEXT,
    Warnings: listOf(TEXT),
    Manufacturer: TEXT,
    Model: TEXT,
    Channels: meaning("Video sources that can be recorded.", WHOLE),
    Streams: meaning("The streams that are recorded, one for each channel.", listOf(STREAM)),
    HasSound: FLAG,
    HasPtz: FLAG,
    Picture: meaning(
      "Path of a small JPEG of what it shows now; null while there is none. Kept for the last 4 tasks with pictures.",
      orNull(TEXT),
    ),
    PictureProblem: meaning("Why there is no picture.", orNull(TEXT)),
  }),
);

export interface ReadCameraItem {
  readonly Address: string;
  readonly Identity: string;
  readonly Name: string;
  State: "Waiting" | "Read";
  Result: DeviceReading["result"];
  Reason: string;
  Warnings: readonly string[];
  Manufacturer: string;
  Model: string;
  Channels: number;
  Streams: readonly ReadStream[];
  HasSound: boolean;
  HasPtz: boolean;
  Picture: string | null;
  PictureProblem: string | null;
}

interface ReadStream {
  readonly Format: string;
  readonly Width: number;
  readonly Height: number;
  readonly FramesPerSecond: number | null;
  readonly KbitPerSecond: number | null;
}

/** A camera that is still to be read. */
export function unreadCamera(device: { address: string; identity: string; name: string }): ReadCameraItem {
  return {
    ...{ Address: device.address, Identity: device.identity, Name: device.name },
    ...{ State: "Waiting", Result: "Failed", Reason: "", Warnings: [], Manufacturer: "", Model: "" },
    ...{ Channels: 0, Streams: [], HasSound: false, HasPtz: false, Picture: null, PictureProblem: null },
  };
}

/** What a reading says about a camera. */
export function readingOf({ result, reason, warnings, description }: DeviceReading): Partial<ReadCameraItem> {
  return {
    ...{ State: "Read", Result: result, Reason: reason, Warnings: warnings },
    ...(description === undefined ? {} : describedCamera(description)),
  };
}

/** What a trial of its stream says about a camera: figures as measured. */
export function triedCamera({ result, reason, stream }: StreamTrial): Partial<ReadCameraItem> {
  const said = { State: "Read", Result: result, Reason: reason } as const;
  if (stream === undefined) return said;
  const { codec, width, height, framesPerSecond, kbitPerSecond, hasSound } = stream;
  const figures = { FramesPerSecond: framesPerSecond, KbitPerSecond: kbitPerSecond };
  const Streams = [{ Format: codec, Width: width, Height: height, ...figures }];
  return { ...said, Channels: 1, HasSound: hasSound, Streams };
}

function describedCamera(description: DeviceDescription): Partial<ReadCameraItem> {
  const mains = mainProfiles(description);
  return {
    Manufacturer: description.manufacturer,
    Model: description.model,
    Channels: mains.length,
    Streams: mains.map((main) => ({
      ...{ Format: main.encoding, Width: main.width, Height: main.height },
      FramesPerSecond: main.framesPerSecond ?? null,
      KbitPerSecond: main.bitrateLimit ?? null,
    })),
    HasSound: mains.some(({ audioCodec }) => audioCodec !== undefined),
    HasPtz: mains.some(({ ptzNodeToken }) => ptzNodeToken !== undefined),
  };
}

/** The profiles that are recorded when the device is added. */
export function mainProfiles(description: DeviceDescription): DeviceProfile[] {
  const numbers = [...new Set(description.profiles.map(({ channelNumber }) => channelNumber))];
  return numbers.flatMap((number) => streamsOfSource(description, number).Main ?? []);
}
