import {
  type DeviceDescription,
  type DeviceProfile,
  type DeviceReading,
  type StreamTrial,
  streamsOfSource,
} from "../../camera/index.js";
import type { ReadCamera } from "../../contract/answer/index.js";

/** A camera whose reading goes on. */
export type ReadCameraItem = { -readonly [N in keyof ReadCamera]: ReadCamera[N] };

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
