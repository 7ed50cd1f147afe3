import { SEEN_KINDS } from "../../base/kinds/index.js";
import {
  choice,
  decimal,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  nullable,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";

/** What was found in pictures, and how analysers do: `/api/findings` and `/api/analysers`. */

const part = decimal(0, 1);
const box = group({ Left: part, Top: part, Width: part, Height: part });
export type FindingBox = ValueOf<typeof box>;

/**
 * Who saw it: the camera itself, the recorder's detector of objects, an analyser in the neighbourhood, motion detection, or
 * another program over the API.
 */
export const FINDING_SOURCES = ["camera", "recorder", "analyser", "motion", "program"] as const;

/** Over a line, seen from its first point to its second: from its left to its right, or the other way. */
export const FINDING_DIRECTIONS = ["leftToRight", "rightToLeft"] as const;

/** Bounds of a finding; what is beyond them is cut or left out. */
export const FINDING_PATH_MAX = 32;
export const FINDING_ZONES_MAX = 8;

const unit = decimal(0, 1);

const findingMembers = {
  Id: meaning(
    "The channel and the begin; the same as long as the finding exists. For its [picture](#get-apifindingsidpicture).",
    text,
  ),
  ChannelId: id,
  ChannelName: text,
  Kind: meaning(
    "As in `SeenKinds` of cameras: `motion`, `person`, `vehicle`, `doorbell`, `lineCrossed` …",
    choice(...SEEN_KINDS),
  ),
  Label: meaning(
    "In small letters, in the words of who saw it: `car`, `dog`. Empty where nobody said.",
    text,
  ),
  Source: meaning(
    "Who saw it: the camera, the recorder's detector of objects, an analyser, motion detection, another program.",
    choice(...FINDING_SOURCES),
  ),
  SourceName: meaning("The analyser, or the camera's rule. Empty where there is no name.", text),
  Begin: time,
  End: meaning("When it was seen last. Null: it lasts.", nullable(time)),
  Score: meaning("How sure who saw it is. Null: nobody said.", nullable(unit)),
  Strength: meaning("Of motion: how much of the picture moved at most.", nullable(unit)),
  Size: meaning("The part of the picture that it fills at its best.", nullable(unit)),
  Zones: meaning(`At most ${FINDING_ZONES_MAX}.`, listOf(text)),
  Line: meaning("The line that was crossed.", nullable(text)),
  Direction: meaning(
    "Over the line, seen from its first point to its second.",
    nullable(choice(...FINDING_DIRECTIONS)),
  ),
  Number: meaning("Of a plate.", nullable(text)),
  Name: meaning("Whose face it is.", nullable(text)),
  Best: meaning(
    "When its picture is best, and where it is then. Without `Box` nobody said where.",
    nullable(group({ Time: time, Box: nullable(box) })),
  ),
  Seen: meaning("Whether the user has marked it as seen.", flag),
} as const;

const finding = group(findingMembers);
export type Finding = ValueOf<typeof finding>;

/** One with all that is kept of it. */
export const wholeFinding = group({
  ...findingMembers,
  Path: meaning(`Where it was, at most ${FINDING_PATH_MAX} times.`, listOf(group({ Time: time, Box: box }))),
});
export type WholeFinding = ValueOf<typeof wholeFinding>;

export const findings = group({
  Findings: listOf(finding),
  Next: meaning("`before` of the next page. Null: this is the last.", nullable(text)),
  IsComplete: meaning(
    "False while findings of a disk are still being read into the index: older ones may be missing.",
    flag,
  ),
});
export type Findings = ValueOf<typeof findings>;

/** What the user has seen: the answer to marking it. */
export const seenFindings = group({
  SeenUpTo: meaning("All that began until then is seen. Null: nothing was marked so.", nullable(time)),
});
export type SeenFindings = ValueOf<typeof seenFindings>;

export const objectTrial = group({
  From: time,
  To: time,
  Seen: meaning("Things that the recorder saw in this time and that were looked through.", integer),
  IsCut: meaning("There were more, which were not looked through.", flag),
  Found: meaning(
    "Those that would have been reported, the newest first.",
    listOf(
      group({
        Finding: finding,
        Acts: meaning(
          "What it would have done with zones and lines.",
          listOf(
            group({
              Kind: choice(...SEEN_KINDS),
              Name: meaning("Of the zone or line. Empty: the whole picture.", text),
              Direction: meaning("Over the line.", nullable(choice(...FINDING_DIRECTIONS))),
              Time: time,
            }),
          ),
        ),
      }),
    ),
  ),
});
export type ObjectTrialAnswer = ValueOf<typeof objectTrial>;

/** What analysers are asked for. */
const PREDICTION_KINDS = ["Plate", "Face", "Person", "Vehicle", "Object"] as const;
export type PredictionKindName = (typeof PREDICTION_KINDS)[number];

const analyserState = group({
  Id: id,
  Name: text,
  Kind: choice("Vision", "Frigate"),
  IsEnabled: flag,
  IsFailing: meaning("The last answer did not come or was none; of Frigate: the broker is away.", flag),
  Problem: meaning("Why.", nullable(text)),
  Asked: meaning("Pictures sent; of Frigate, events received.", integer),
  Answered: integer,
  Failed: integer,
  Told: meaning("Events that were made.", integer),
  Dropped: meaning(
    "What was left out: `Busy` while it was still at work, `Rate` beyond the rates, `Failing` in the pause after a failure, `NoPicture` because the camera had none, `Unread` because a message was none of Frigate's events.",
    group({ Busy: integer, Rate: integer, Failing: integer, NoPicture: integer, Unread: integer }),
  ),
  LastAnswerTime: nullable(text),
});
export type AnalyserStateItem = ValueOf<typeof analyserState>;

export const analyserStates = listOf(analyserState);

const prediction = group({
  Kind: choice(...PREDICTION_KINDS),
  Label: text,
  Confidence: meaning("Percent.", decimal(0, 100)),
  Number: meaning("Of a plate.", nullable(text)),
  Name: meaning("Whose face it is.", nullable(text)),
  Box: nullable(box),
});

/** A picture that an analyser was sent, and what came back: `POST /api/analysers/test`. */
export const analyserTest = group({
  ChannelId: id,
  Picture: group({
    Width: integer,
    Height: integer,
    Bytes: integer,
    Jpeg: meaning("The picture that was sent, in Base64.", text),
  }),
  Results: listOf(
    group({
      Task: choice("Objects", "Plates", "Faces"),
      Milliseconds: meaning("Until the answer was there.", integer),
      Problem: meaning("Why there is no answer, or none that can be used.", nullable(text)),
      Predictions: meaning(
        "All that could be read of the answer, whatever `MinConfidence` and the camera's settings say.",
        listOf(prediction),
      ),
    }),
  ),
});
export type AnalyserTest = ValueOf<typeof analyserTest>;
