import {
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

/** Recordings that are kept in another way: protected times, and what cameras left that are gone. */

const protectedMembers = {
  Id: id,
  ChannelId: id,
  FromTime: time,
  ToTime: time,
  Comment: meaning("Why it was protected.", text),
  UserId: meaning("Who protected it.", id),
  UserName: text,
  CreatedTime: time,
  Bytes: meaning(
    "Of the segments that overlap the time. A segment that is only partly within counts whole, and stays whole.",
    integer,
  ),
} as const;

export const protectedTime = named("ProtectedTime", group(protectedMembers));
export type ProtectedTime = ValueOf<typeof protectedTime>;
export const protectedTimes = listOf(protectedTime);

const protectedOfChannel = named(
  "ProtectedTimeOfChannel",
  group({
    ...protectedMembers,
    ChannelName: meaning("The present name; empty for a deleted camera.", text),
  }),
);
export type ProtectedTimeOfChannel = ValueOf<typeof protectedOfChannel>;
export const allProtectedTimes = listOf(protectedOfChannel);

export const bookmarkMade = group({ Sequence: integer, EventId: id, ChannelId: id, Timestamp: time });
export type BookmarkMade = ValueOf<typeof bookmarkMade>;

export const protectionLifted = group({ Id: id });
export type ProtectionLifted = ValueOf<typeof protectionLifted>;

export const protectionLoss = group({
  Lost: meaning("What was not known; null: everything was.", nullable(text)),
});
export type ProtectionLoss = ValueOf<typeof protectionLoss>;

const formerCamera = named(
  "FormerCamera",
  group({
    Id: id,
    Name: meaning(
      "The last name that the volumes or the storage off the box know; the id where they know none.",
      text,
    ),
    FromTime: meaning("Where its recordings begin.", time),
    ToTime: meaning("Where they end.", time),
    RecordedBytes: meaning(
      "Of all its closed segments on the volumes; null where there is none.",
      nullable(integer),
    ),
    IsAway: meaning("All its recordings are off the box.", flag),
    ProtectedTimes: meaning("Number of its protected times.", integer),
    GivenTo: meaning("The camera that has its recordings; null: they are its own.", nullable(id)),
  }),
);
export type FormerCamera = ValueOf<typeof formerCamera>;
export const formerCameras = listOf(formerCamera);

const givenTo = meaning("The camera that has the recordings; null: nobody was given them.", nullable(id));
/** The body that gives recordings, and what is answered. */
export const recordingsGift = group({ GivenTo: givenTo });
export const recordingsGiven = group({ Id: id, GivenTo: givenTo });
export type RecordingsGiven = ValueOf<typeof recordingsGiven>;
