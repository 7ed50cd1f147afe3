import {
  choice,
  group,
  id,
  integer,
  listOf,
  meaning,
  named,
  nullable,
  number,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";

/** How far back the recordings reach, and how far they will: `/api/archive`. */

const UNKNOWN = "Null while it is not known.";
/** Days that are reported of a channel. */
export const ARCHIVE_DAYS = 14;

/** Why a channel's recordings reach back no further. */
export const REACH_REASONS = ["Began", "Age", "Space", "Minimum", "MinimumUnmet", "Nothing"] as const;
export type ReachReason = (typeof REACH_REASONS)[number];

const day = group({
  Date: meaning("A day of UTC: `2026-11-21`.", text),
  Bytes: integer,
  Hours: meaning("Recorded time of the stream with most of it.", number),
});
const channel = named(
  "ArchiveChannel",
  group({
    ChannelId: id,
    Name: text,
    OldestTime: meaning("Beginning of its oldest recording. Null without any.", nullable(time)),
    CompleteSinceTime: meaning(
      "Nothing recorded since then was deleted. What is older is protected, or on another volume.",
      nullable(time),
    ),
    DepthDays: meaning("Days since `CompleteSinceTime`.", nullable(number)),
    Reason: meaning(
      "Why there is nothing older. `Began`: its recording began then. `Age`: `MaxDays` is reached. `Space`: older recordings made room. `Minimum`: they did, and `MinDays` keeps the rest. `MinimumUnmet`: the room does not suffice for `MinDays`. `Nothing`: it has no recordings.",
      choice(...REACH_REASONS),
    ),
    MinDays: integer,
    MaxDays: meaning("0: no limit.", integer),
    BytesPerDay: meaning(`At the rate of today and yesterday. ${UNKNOWN}`, nullable(integer)),
    ForecastDays: meaning(
      `Days that it will reach back when the disks are full, or \`MaxDays\` is reached, at these rates. ${UNKNOWN}`,
      nullable(number),
    ),
    RecordedBytes: meaning(`Of all its recordings. ${UNKNOWN}`, nullable(integer)),
    Days: meaning(`The last ${ARCHIVE_DAYS} days in which it was recorded, the oldest first.`, listOf(day)),
  }),
);
export type ArchiveChannel = ValueOf<typeof channel>;

export const archiveReach = group({
  Time: time,
  UsedBytes: integer,
  AllowedBytes: meaning("What the volumes may hold, by quota and reserve.", integer),
  ProtectedBytes: integer,
  BytesPerDay: meaning(
    `Of all channels; in the first minutes what is written to the disks at the rate of now. ${UNKNOWN}`,
    nullable(integer),
  ),
  DaysHeld: meaning(
    "Days that a channel without limits of its own reaches back when the disks are full. Null while no rate is known, and where the limits keep the disks from becoming full.",
    nullable(number),
  ),
  FullTime: meaning(
    "When the disks are full, so that the oldest recordings make room; in the past or now if they are. Null like `DaysHeld`.",
    nullable(time),
  ),
  Channels: listOf(channel),
});
export type ArchiveReach = ValueOf<typeof archiveReach>;
