import {
  asText,
  choice,
  flag,
  group,
  id,
  listOf,
  meaning,
  named,
  nullable,
  number,
  text,
  type ValueOf,
} from "../kinds/kinds.js";

/** How targets of recordings off the box do, what tests of them found, and their buckets: `/api/away`. */

export const AWAY_ACTIVITIES = ["Starting", "Idle", "Sending", "Paused", "Failing"] as const;

const sentDay = group({ Day: text, Bytes: number });

const awayState = group({
  Id: id,
  Name: text,
  Activity: meaning(
    "`Starting`: recordings are looked through; `Idle`: nothing waits; `Sending`; `Paused`: the hour or the month's volume allows nothing; `Failing`.",
    asText(choice(...AWAY_ACTIVITIES)),
  ),
  WaitingSegments: number,
  WaitingBytes: number,
  IsCounting: meaning("Some days have not been looked through yet.", flag),
  OldestWaitingDay: meaning("UTC.", nullable(text)),
  SentSegments: meaning("Since the target exists.", number),
  SentBytes: number,
  MonthBytes: meaning("Sent in this month, repetitions included.", number),
  SentDays: meaning(
    "What was sent of recordings on each of the last 31 days (UTC) on which something was, the newest last. Without repetitions.",
    listOf(sentDay),
  ),
  LastSentTime: nullable(text),
  Problem: meaning("Why nothing goes, and what to do.", nullable(text)),
  KnownSegments: meaning("Known to be there: they are played from there when they are not here.", number),
  ReadProblem: meaning("Why what is there cannot be listed or played.", nullable(text)),
});
export type AwayState = ValueOf<typeof awayState>;

export const awayStates = listOf(awayState);

export const awayTests = group({
  Results: listOf(
    group({
      Id: id,
      Name: text,
      Works: flag,
      Step: meaning(
        "What failed: `write`, `clock`, `digest`, `read`, `list`, `lock`, `lifecycle`, `keys` or `delete`.",
        nullable(
          asText(choice("write", "clock", "digest", "read", "list", "lock", "lifecycle", "keys", "delete")),
        ),
      ),
      Problem: meaning("Why, and what to do.", nullable(text)),
    }),
  ),
});
export type AwayTests = ValueOf<typeof awayTests>;

/** What a bucket has beside objects. */
export const awayBucket = named(
  "AwayBucket",
  group({
    Id: id,
    Name: text,
    ObjectLock: meaning(
      "`Enabled`, `Off` or `Unsupported`. Only a new bucket can be created with it.",
      asText(choice("Enabled", "Off", "Unsupported")),
    ),
    HasVersions: meaning("What is deleted stays as a version.", flag),
    Rules: meaning(
      "The lifecycle rules that the bucket has, those of others too. Null: the server knows none.",
      nullable(listOf(group({ Id: text, Xml: text }))),
    ),
    Proposed: meaning(
      "The rules that are right for the target's `Prefix`, `KeepDays` and `AgeBy`.",
      listOf(group({ Id: text, Text: text, Xml: text, IsSet: flag })),
    ),
  }),
);
export type AwayBucket = ValueOf<typeof awayBucket>;
