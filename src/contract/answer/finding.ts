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

export const FINDING_KINDS = ["Plate", "Face", "Person", "Vehicle", "Object"] as const;
export type FindingKindName = (typeof FINDING_KINDS)[number];

const finding = group({
  Id: meaning("For its [picture](#get-apifindingsidpicture).", text),
  EventId: meaning("The [type of its event](events.md).", id),
  ChannelId: id,
  ChannelName: text,
  Time: time,
  Kind: choice(...FINDING_KINDS),
  Label: meaning("In the analyser's words.", text),
  Confidence: meaning("Percent.", nullable(decimal(0, 100))),
  Number: meaning("Of a plate.", nullable(text)),
  Name: meaning("Whose face it is.", nullable(text)),
  Box: meaning("Where, as parts of the picture.", nullable(box)),
  Comment: text,
  HasPicture: flag,
});
export type Finding = ValueOf<typeof finding>;

export const findings = group({
  Findings: listOf(finding),
  Next: meaning("`before` of the next page. Null: this is the last.", nullable(text)),
  NotSearched: meaning("Channels whose interactive search is off.", listOf(id)),
});
export type Findings = ValueOf<typeof findings>;

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
  Kind: choice(...FINDING_KINDS),
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
