import {
  choice,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";

/** Files of recordings that lie on the recorder. */

const savedFile = named(
  "SavedFile",
  group({
    Id: id,
    Name: meaning("A name for it: channel, day and time as the recorder's clock shows them.", text),
    ChannelId: id,
    ChannelName: meaning("At the time it was made.", text),
    FromTime: time,
    ToTime: time,
    Sound: flag,
    Bytes: integer,
    Url: meaning("Path of the file below the recorder's address.", text),
    User: meaning("Who had it made.", text),
    CreatedTime: time,
    KeptUntilTime: meaning("Then it is removed.", time),
  }),
);
export type SavedFileObject = ValueOf<typeof savedFile>;

/** What is missing for files whose pictures or sound are to be converted. */
export const CONVERSION_LACKS = ["None", "Codec", "Encoder"] as const;

export const savedFileList = named(
  "SavedFileList",
  group({
    Files: listOf(savedFile),
    RoomBytes: meaning("What further files may take; the rest of the disk stays free.", integer),
    Lack: meaning(
      "What is missing to convert: `Codec`: the libraries of FFmpeg, and all of it; `Encoder`: libx264, for pictures.",
      choice(...CONVERSION_LACKS),
    ),
  }),
);
export type SavedFileList = ValueOf<typeof savedFileList>;

export const savedFileRemoved = group({ Id: id });
export type SavedFileRemoved = ValueOf<typeof savedFileRemoved>;
