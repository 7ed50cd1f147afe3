import {
  choice,
  decimal,
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

/** Searches for motion in a part of the picture: `/api/motionsearch`. */

const moment = meaning("Unix milliseconds.", number);
export const motionSearch = named(
  "MotionSearch",
  group({
    Id: id,
    ChannelId: id,
    From: moment,
    To: moment,
    State: choice("waiting", "running", "done", "cancelled", "failed"),
    Progress: meaning("How much of the time is searched.", decimal(0, 1)),
    Source: meaning(
      "What the spans are taken from: stored events of the motion detector, or pictures that are compared. Null before it has begun.",
      nullable(choice("events", "pictures")),
    ),
    Spans: meaning(
      "When something moved there, as far as it is searched.",
      listOf(
        group({
          From: moment,
          To: moment,
          At: meaning("Of a picture that shows it, Unix milliseconds.", number),
        }),
      ),
    ),
    Apart: meaning(
      "The longest time between two pictures that were compared with nothing looked at in between, in milliseconds: what moved there within it is not found. Null: no pictures were compared.",
      nullable(number),
    ),
    IsCut: meaning("There are more than 1000: the search ended there.", flag),
    Error: meaning("Why it failed.", nullable(text)),
  }),
);
export type MotionSearch = ValueOf<typeof motionSearch>;

export const motionSearches = listOf(motionSearch);
export type MotionSearches = ValueOf<typeof motionSearches>;
