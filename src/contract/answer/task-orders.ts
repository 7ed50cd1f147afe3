import { LANGUAGES } from "../../base/index.js";
import { atMost, by, choice, flag, group, id, list, type Plain, plain, whole } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";
import { acme, acmeTexts } from "../resource/certificate.js";
import { FILE_CHANNELS_MAX, FILE_SPEED_MAX, PICTURE_FORMS } from "../resource/file-edits.js";

/** The bodies that start long work, besides `Kind`: `POST /api/tasks`. Some are also those of routes under /api/disks. */

const PATH_TEXT = "As in `GET /api/disks`.";
const PATH_LENGTH_MAX = 4096;
const path: Plain = plain(
  "a path",
  { check: (text) => text.startsWith("/"), accepted: "an absolute path" },
  atMost(PATH_LENGTH_MAX),
  { check: (text) => !text.includes("\0"), accepted: "a path", said: "^/[^\\u0000]*$" },
);
const shortText: Plain = plain("a text", atMost(256));

const disk = {
  Device: shortText,
  Serial: shortText,
  Confirm: shortText,
  EraseFound: by(flag, false),
} as const;
const diskTexts: TextsOf<typeof disk> = {
  Device: "A whole disk: `/dev/sdb`.",
  Confirm: "The serial number repeated; the device name for a disk without one.",
  EraseFound: "Erase existing data on the disk.",
};

export const formatOrder = group(disk, "Device", "Serial", "Confirm");
export const formatOrderTexts = diskTexts;

export const replaceOrder = group({ Path: path, ...disk }, "Path", "Device", "Serial", "Confirm");
export const replaceOrderTexts: TextsOf<typeof replaceOrder.members> = { Path: PATH_TEXT, ...diskTexts };

export const adoptOrder = group({ Path: path, Confirm: shortText }, "Path");
export const adoptOrderTexts: TextsOf<typeof adoptOrder.members> = {
  Path: PATH_TEXT,
  Confirm: "The id of the volume known there, if it is a different one.",
};

export const retireOrder = group({ Path: path, Retired: flag }, "Path", "Retired");
export const retireOrderTexts: TextsOf<typeof retireOrder.members> = {
  Path: PATH_TEXT,
  Retired: "False: resumes recording.",
};

export const forgetOrder = group(
  { Path: path, Confirm: plain("a text", atMost(PATH_LENGTH_MAX)) },
  "Path",
  "Confirm",
);
export const forgetOrderTexts: TextsOf<typeof forgetOrder.members> = {
  Path: PATH_TEXT,
  Confirm: "The volume's id; its path if it has none.",
};

export const moveOrder = group({ Path: path }, "Path");
export const moveOrderTexts: TextsOf<typeof moveOrder.members> = { Path: PATH_TEXT };

export const checkOrder = group({ Repair: by(flag, false), Deep: by(flag, false) });
export const checkOrderTexts: TextsOf<typeof checkOrder.members> = {
  Repair: "Repairs the index from the recordings.",
  Deep: "Reads every byte.",
};

export const tryAcmeOrder = group({ ...acme, Language: choice(...LANGUAGES) }, "Names");
export const tryAcmeOrderTexts: TextsOf<typeof tryAcmeOrder.members> = {
  ...acmeTexts,
  Language: "Of `Title` and `Remedy`; English when left out.",
};

export const saveFileOrder = group(
  {
    ChannelId: id,
    WithChannelIds: list(id, FILE_CHANNELS_MAX - 1, "channels"),
    FromTime: shortText,
    ToTime: shortText,
    StreamType: shortText,
    Sound: by(flag, false),
    Pictures: by(choice(...PICTURE_FORMS), "H264"),
    ShowTime: by(flag, false),
    Speed: by(whole(1, FILE_SPEED_MAX), 1),
  },
  "ChannelId",
  "FromTime",
  "ToTime",
);
export const saveFileOrderTexts = {
  ChannelId: "The channel.",
  WithChannelIds:
    "Further channels, each once: the pictures of all are beside one another in one picture, in step, without sound. A channel is dark while it has none, and has its name then.",
  FromTime: "As `fromtime` of [`GET /exportarchive`](#get-exportarchive).",
  ToTime: "As `totime` there.",
  StreamType: "As `streamtype` there.",
  Sound: "With the sound, as AAC.",
  Pictures:
    "`H264`: what is not H.264 of one size is converted, and scaled into 1920x1080. `AsRecorded`: they stay as they are, where all are of one codec; not with `WithChannelIds`, `ShowTime` or a `Speed`.",
  ShowTime:
    "The camera's name and the time of the recorder's clock, with its zone, are written into the pictures.",
  Speed:
    "How many times as fast as the recording: 120 makes 30 s of an hour. Without sound. Of key frames alone where there are enough of them.",
} satisfies TextsOf<typeof saveFileOrder.members>;
