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
    WithChannelIds: meaning("Further channels, whose pictures are beside those of the first.", listOf(id)),
    Speed: meaning("How many times as fast as the recording it is.", integer),
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

/** Links to files for people without a login. */

const fileLinkAnswer = named(
  "FileLink",
  group({
    Id: id,
    FileId: id,
    User: meaning("Who made it.", text),
    CreatedTime: time,
    EndTime: meaning("Then it opens nothing any more.", time),
    HasPassword: flag,
    Openings: meaning("How often it was opened; an address counts once in an hour.", integer),
    LastOpenedTime: meaning("Null: it was not opened yet.", nullable(time)),
  }),
);
export type FileLinkObject = ValueOf<typeof fileLinkAnswer>;

export const fileLinkList = named(
  "FileLinkList",
  group({
    IsAllowed: meaning("Whether links may be made, and whether those that there are open anything.", flag),
    Links: listOf(fileLinkAnswer),
  }),
);
export type FileLinkList = ValueOf<typeof fileLinkList>;

export const fileLinkMade = group({
  Id: id,
  EndTime: time,
  Path: meaning(
    "Path below the recorder's address. It is shown only here: the recorder keeps its hash.",
    text,
  ),
});
export type FileLinkMade = ValueOf<typeof fileLinkMade>;

export const fileLinkRevoked = group({ Id: id });
export type FileLinkRevoked = ValueOf<typeof fileLinkRevoked>;
