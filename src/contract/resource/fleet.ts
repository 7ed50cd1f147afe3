import {
  by,
  choice,
  decimal,
  flag,
  group,
  id,
  line,
  list,
  name,
  nullable,
  plain,
  whole,
  word,
  writeOnly,
} from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";
import { awayPace } from "./away-target.js";
import { GROUP_RIGHTS } from "./group.js";

/** A hub and its boxes: what both say of a user, and what a box shows of a hub, and of partners: `/api/hub`, `/api/boxes`, `/api/fleet/partners`. */

/** How far the owner of a box lets a hub go. */
export const HUB_CEILINGS = ["Look", "Operate", "Everything"] as const;
export type HubCeiling = (typeof HUB_CEILINGS)[number];

/** A user of a hub, as each request through it names one. */
export const hubUser = group(
  {
    Id: id,
    Name: name,
    Group: name,
    IsAdministrator: flag,
    Rights: list(choice(...GROUP_RIGHTS), GROUP_RIGHTS.length, "rights"),
    /** Whether all cameras may be watched, live and recorded. */
    Realtime: flag,
    Archive: flag,
    /** Where the user's browser or program is, as the hub sees it. */
    Address: line(64),
  },
  ...(["Id", "Name", "Group", "IsAdministrator", "Rights", "Realtime", "Archive", "Address"] as const),
);

const PLACE_AND_SECRETS =
  "(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\\[[0-9A-Fa-f:.]{2,45}\\]):[1-9]\\d{0,4}\\/[A-Za-z0-9_-]{43}\\/[A-Za-z0-9_-]{22}\\s*$";
const CODE = {
  pattern: new RegExp(`^\\s*nvrd-hub:\\/\\/${PLACE_AND_SECRETS}`),
  accepted: "a hub's code, which begins with nvrd-hub://",
} as const;
const PARTNER_CODE = {
  pattern: new RegExp(`^\\s*nvrd-box:\\/\\/${PLACE_AND_SECRETS}`),
  accepted: "another recorder's code, which begins with nvrd-box://",
} as const;

/** How far and how fast a hub goes at a box. */
export const hubLimitMembers = {
  Ceiling: by(word(...HUB_CEILINGS), "Look"),
  MayUpdate: by(flag, false),
  KilobitsPerSecondMax: awayPace.KilobitsPerSecondMax,
  Hours: awayPace.Hours,
} as const;

const limitTexts: TextsOf<typeof hubLimitMembers> = {
  Ceiling:
    "How far the hub's users may go here, whatever their rights at the hub: `Look` (live pictures, recordings, events), `Operate` (also move and switch cameras, start recordings and scenarios, lock recordings), `Everything`. `Look` when a hub is joined without it.",
  MayUpdate:
    "Whether the hub's administrators may update the system of this recorder (`/api/update`), whatever the ceiling is. Under `Everything` they may.",
  KilobitsPerSecondMax: "What may be sent to the hub; null: as much as the link takes.",
  Hours: "Hours of the week with another limit.",
};

/** The body that joins a hub. */
export const hubJoin = group(
  { Code: writeOnly(plain("a hub's code, which begins with nvrd-hub://", CODE)), ...hubLimitMembers },
  "Code",
);

export const hubJoinTexts: TextsOf<typeof hubJoin.members> = {
  Code: "What the hub's page shows: the hub's address, a hash of its authority, and a token for 15 minutes and one use.",
  ...limitTexts,
};

/** The body that changes how far and how fast it goes. What is left out stays. */
export const hubLimits = group(hubLimitMembers);
export const hubLimitsTexts: TextsOf<typeof hubLimitMembers> = limitTexts;

const KEY = { pattern: /^[\x21-\x7e]+$/, accepted: "letters, digits and signs of ASCII" } as const;

/** The body that lets a hub read what a recorder has sent to off-site storage. */
export const hubStorage = group(
  {
    Target: id,
    AccessKeyId: line(256, KEY),
    SecretAccessKey: writeOnly(line(256, KEY)),
    WithPrivateKey: by(flag, false),
  },
  ...(["Target", "AccessKeyId", "SecretAccessKey"] as const),
);

export const hubStorageTexts: TextsOf<typeof hubStorage.members> = {
  Target: "One of the targets of [`GET /configure/away`](#get-configureaway).",
  AccessKeyId: "Of a key of the storage that may list and read the target's folder, and nothing else.",
  SecretAccessKey: "Of the same key. It is in no answer.",
  WithPrivateKey:
    "Whether the target's `Identity` goes too, with which the hub can read what is encrypted there.",
};

/** Where a recorder is. */
export const boxPosition = group(
  { Latitude: decimal(-90, 90, "degrees"), Longitude: decimal(-180, 180, "degrees") },
  ...(["Latitude", "Longitude"] as const),
);

/** The body that says where a recorder of a hub is. */
export const boxPlace = group({ Position: nullable(boxPosition) });

export const boxPlaceTexts: TextsOf<typeof boxPlace.members> = {
  Position: "Null, or left out: in the middle of its cameras that are on the map.",
  "Position.Latitude": "Degrees, north is positive.",
  "Position.Longitude": "Degrees, east is positive.",
};

/** The body that begins to roll out an update. */
export const rolloutStart = group(
  {
    Groups: list(group({ Recorders: list(id, 2000, "recorders") }, "Recorders"), 100, "groups"),
    WatchMinutes: by(whole(1, 1440), 10),
  },
  "Groups",
);

export const rolloutStartTexts: TextsOf<typeof rolloutStart.members> = {
  Groups:
    "Groups of recorders. Those of one are updated together; the next group's turn comes when all of the one before have ended well, or were left out.",
  "Groups.Recorders": "Ids, as [`GET /api/boxes`](#get-apiboxes) has them; each once.",
  WatchMinutes:
    "For how long each recorder is looked at that has kept the update. It has failed if more cameras are lost at the end than before, more disks are at fault, or it has other errors.",
};

/** Parts of a camera's settings that a template may have. */
export const TEMPLATE_PARTS = [
  ...([
    "Recording",
    "Schedule",
    "Retention",
    "Motion",
    "Objects",
    "CameraEvents",
    "Analysers",
    "Card",
  ] as const),
] as const;
export type TemplatePart = (typeof TEMPLATE_PARTS)[number];

/** Recorders that are asked at once. */
const TEMPLATE_RECORDERS_MAX = 100;

/** The body that makes a template. */
export const templateStart = group(
  {
    Name: name,
    Camera: id,
    Recorder: id,
    Parts: list(choice(...TEMPLATE_PARTS), TEMPLATE_PARTS.length, "parts"),
  },
  ...(["Name", "Parts"] as const),
);

export const templateStartTexts: TextsOf<typeof templateStart.members> = {
  Camera:
    "The camera whose settings it has, by its id at this hub, or with `Recorder` by its id there. Left out: all cameras of the recorder.",
  Recorder: "The recorder whose cameras' settings it has, as far as all of them have the same.",
  Parts:
    "`Recording`: whether, when and how recordings are made; `Schedule`: the hours of it; `Retention`: for how many days; `Motion`: motion detection, without zones; `Objects`: what the recorder itself looks for, without lines; `CameraEvents`: which reports of the camera count; `Analysers`: what analysers look for; `Card`: recordings of the camera's card. Each once.",
};

/** The body that names recorders. */
export const templateRecorders = group(
  { Recorders: list(id, TEMPLATE_RECORDERS_MAX, "recorders") },
  "Recorders",
);

export const templateRecordersTexts: TextsOf<typeof templateRecorders.members> = {
  Recorders: "Ids, as [`GET /api/boxes`](#get-apiboxes) has them; each once.",
};

/** The body that applies a template. */
export const templateUse = group(
  {
    Recorders: list(
      group({ Id: id, Revision: line(64) }, ...(["Id", "Revision"] as const)),
      TEMPLATE_RECORDERS_MAX,
      "recorders",
    ),
  },
  "Recorders",
);

export const templateUseTexts: TextsOf<typeof templateUse.members> = {
  Recorders: "Each once.",
  "Recorders.Id": "As [`GET /api/boxes`](#get-apiboxes) has it.",
  "Recorders.Revision": "As the preview has it: what has changed there since is not overwritten unseen.",
};

/** Names a hub's user at the door of the API that only the link to the hub has the key to: JSON of `hubUser`, base64url. */
export const HUB_USER_HEADER = "nvrd-hub-user";

/** The body that makes another recorder a partner. */
export const partnerJoin = group(
  { Code: writeOnly(plain("another recorder's code, which begins with nvrd-box://", PARTNER_CODE)) },
  "Code",
);

export const partnerJoinTexts: TextsOf<typeof partnerJoin.members> = {
  Code: "What the other recorder's page shows: its address, a hash of its certificate, and a token for 15 minutes and one use.",
};
