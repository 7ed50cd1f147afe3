import * as v from "valibot";
import type { Guid } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";

/** Channels of one box, and folders around them. */
const CHANNELS_MAX = 1024;
const FOLDERS_MAX = 1024;
const DEPTH_MAX = 16;
const LISTED_MAX = 64;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const word = text(64);
const guid = v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN)));
const degrees = v.pipe(v.number(), v.finite());

/** A channel as `/configex` has it in JSON; what else a box says of it is left out. */
const channelSchema = v.object({
  Id: guid,
  Name: text(512),
  Description: text(4096),
  DeviceInfo: text(512),
  AttachedToServer: word,
  IsDisabled: v.boolean(),
  IsSoundOn: v.boolean(),
  IsArchivingEnabled: v.boolean(),
  IsSoundArchivingEnabled: v.boolean(),
  AllowedRealtime: v.boolean(),
  AllowedArchive: v.boolean(),
  IsPtzOn: v.boolean(),
  IsTransmitSoundOn: v.boolean(),
  ArchiveMode: word,
  ArchiveStreamType: word,
  ArchiveVideoFormat: word,
  ArchiveRotationMode: word,
  IsFaceRecOn: v.boolean(),
  IsPeopleCountingOn: v.boolean(),
  IsObjectCountingOn: v.boolean(),
  TimeZoneOffset: v.pipe(v.number(), v.finite()),
  Streams: v.pipe(
    v.array(v.object({ StreamType: word, StreamFormat: word, RotationMode: word })),
    v.maxLength(LISTED_MAX),
  ),
  UserScenarios: v.pipe(
    v.array(v.object({ Id: guid, Name: text(512), NeedConfirmation: v.boolean() })),
    v.maxLength(LISTED_MAX),
  ),
  GeoPosition: v.nullable(v.object({ Latitude: degrees, Longitude: degrees, Azimuth: degrees })),
});
export type BoxChannel = Readonly<v.InferOutput<typeof channelSchema>>;

/** A folder of channels, as `/configex` has it in JSON. */
export interface BoxFolder {
  readonly Id: Guid;
  readonly Name: string | null;
  readonly ChildSecObjects: readonly BoxFolder[];
  readonly ChildChannels: readonly Guid[];
}

const flatFolder = v.object({
  Id: guid,
  Name: v.nullable(text(512)),
  ChildSecObjects: v.pipe(v.array(v.unknown()), v.maxLength(FOLDERS_MAX)),
  ChildChannels: v.pipe(v.array(guid), v.maxLength(CHANNELS_MAX)),
});

const configurationSchema = v.object({
  RevNum: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  Channels: v.pipe(v.array(channelSchema), v.maxLength(CHANNELS_MAX)),
  RootSecObject: v.unknown(),
});

/** What a hub knows of a box's configuration. */
export interface BoxConfiguration {
  readonly revision: number;
  readonly channels: readonly BoxChannel[];
  readonly root: BoxFolder;
}

/** Reads a box's answer to `GET /configex?responsetype=json`. Throws where it is none, or is beyond the bounds. */
export function readBoxConfiguration(answer: string): BoxConfiguration {
  const { RevNum, Channels, RootSecObject } = v.parse(configurationSchema, JSON.parse(answer));
  let folders = 0;
  const folderOf = (value: unknown, depth: number): BoxFolder => {
    folders += 1;
    if (depth > DEPTH_MAX || folders > FOLDERS_MAX) throw new RangeError("it has too many folders");
    const { ChildSecObjects, ...folder } = v.parse(flatFolder, value);
    return { ...folder, ChildSecObjects: ChildSecObjects.map((child) => folderOf(child, depth + 1)) };
  };
  return { revision: RevNum, channels: Channels, root: folderOf(RootSecObject, 0) };
}
