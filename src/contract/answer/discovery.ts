import {
  choice,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  number,
  text,
  type ValueOf,
} from "../kinds/kinds.js";

/** Devices on the networks of the recorder, and what became of those that are read or added. */

const discovered = group({
  Name: text,
  Manufacturer: text,
  Model: text,
  Address: meaning("The value for `Hostname`.", text),
  Identity: meaning("The endpoint reference; empty if unknown.", text),
  Interface: text,
  Location: text,
  IsIdentityShared: meaning("Another address claims the same identity.", flag),
  Profiles: meaning(
    "The profiles reported without a login.",
    listOf(group({ Name: text, VideoFormat: text, Width: number, Height: number })),
  ),
  AlreadyAdded: flag,
  ChannelIds: listOf(id),
  ModelId: meaning("The model it would get.", id),
});
export type DiscoveryItem = ValueOf<typeof discovered>;
export const discoveryList = listOf(discovered);

/** The result of reading a device. */
const READING_RESULTS = [
  "Readable",
  "NotActivated",
  "LoginRefused",
  "AccountLocked",
  "ClockOff",
  "Unreachable",
  "NotOnvif",
  "Itself",
  "NoStream",
  "UnsupportedCodec",
  "Insecure",
  "Failed",
] as const;
export type ReadingResult = (typeof READING_RESULTS)[number];

/** The result for a device that is to be added. */
const additionResult = choice(
  "Added",
  "AlreadyAdded",
  "NotFound",
  "Ambiguous",
  "OtherDevice",
  "TooMany",
  ...READING_RESULTS.filter((result) => result !== "Readable"),
);
export type AdditionResult = ValueOf<typeof additionResult>;

const RESULTS_TEXT = "[The results](../guide/cameras.md#add).";

const addition = group({
  Address: text,
  Identity: text,
  Name: text,
  Result: meaning(RESULTS_TEXT, additionResult),
  Reason: text,
  Warnings: meaning("Of the device; and the members of the body that were not read.", listOf(text)),
  ModelId: nullable(id),
  ChannelIds: listOf(id),
});
export type AdditionItem = ValueOf<typeof addition>;
export const additionList = listOf(addition);

/** A camera that was read with a login, and nothing of it stored. */
const readCamera = named(
  "ReadCamera",
  group({
    Address: text,
    Identity: text,
    Name: text,
    State: meaning("`Waiting` until it was read.", choice("Waiting", "Read")),
    Result: meaning(RESULTS_TEXT, choice(...READING_RESULTS)),
    Reason: text,
    Warnings: listOf(text),
    Manufacturer: text,
    Model: text,
    Channels: meaning("Video sources that can be recorded.", integer),
    Streams: meaning(
      "The streams that are recorded, one for each channel.",
      listOf(
        group({
          Format: meaning("As the camera names it.", text),
          Width: integer,
          Height: integer,
          FramesPerSecond: nullable(number),
          KbitPerSecond: meaning(
            "The limit that the camera is set to; by its stream's address, as measured.",
            nullable(number),
          ),
        }),
      ),
    ),
    HasSound: flag,
    HasPtz: flag,
    Picture: meaning(
      "Path of a small JPEG of what it shows now; null while there is none. Kept for the last 4 tasks with pictures.",
      nullable(text),
    ),
    PictureProblem: meaning("Why there is no picture.", nullable(text)),
  }),
);
export type ReadCamera = ValueOf<typeof readCamera>;
export const readCameraList = listOf(readCamera);

/** What can be wrong with a table of cameras, and with a line of it. */
const CSV_FAULTS = [
  "Empty",
  "NoAddressColumn",
  "ColumnTwice",
  "TooMany",
  "NoCamera",
  "OpenQuote",
  "NoAddress",
  "AddressRange",
  "BadAddress",
  "LoginInAddress",
  "AddressTwice",
  "TooLong",
  "ControlCharacters",
  "BadChannels",
] as const;
export type CsvFaultCode = (typeof CSV_FAULTS)[number];

const csvFault = named("CsvFault", group({ Line: integer, Code: choice(...CSV_FAULTS), Fault: text }));
export type CsvFaultObject = ValueOf<typeof csvFault>;

export const cameraTable = group({
  Faults: meaning("What is wrong with the table; then no line was read.", listOf(csvFault)),
  Cameras: listOf(
    group({
      Line: meaning("Counts from 1, as in a spreadsheet.", integer),
      Address: text,
      Name: text,
      Login: text,
      HasPassword: flag,
      AlreadyAdded: flag,
      Faults: meaning("Empty: nothing is wrong.", listOf(csvFault)),
    }),
  ),
});
export type CameraTable = ValueOf<typeof cameraTable>;
