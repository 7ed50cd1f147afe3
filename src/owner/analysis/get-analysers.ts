import type { AnalyserDrops, AnalyserState } from "../../analysis/index.js";
import { formatIsoTime } from "../../base/index.js";
import {
  answerJson,
  choice,
  FLAG,
  GUID,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  orNull,
  type Route,
  TEXT,
  WHOLE,
} from "../../route/index.js";
import type { AnalysisNeeds } from "./needs.js";

/** Of an analyser that is off; the room is not even loaded. */
const NO_DROPS: AnalyserDrops = { busy: 0, rate: 0, failing: 0, noPicture: 0, unread: 0 };

const ANALYSER_STATE = objectOf({
  Id: GUID,
  Name: TEXT,
  Kind: choice(["Vision", "Frigate"]),
  IsEnabled: FLAG,
  IsFailing: meaning("The last answer did not come or was none; of Frigate: the broker is away.", FLAG),
  Problem: meaning("Why.", orNull(TEXT)),
  Asked: meaning("Pictures sent; of Frigate, events received.", WHOLE),
  Answered: WHOLE,
  Failed: WHOLE,
  Told: meaning("Events that were made.", WHOLE),
  Dropped: meaning(
    "What was left out: `Busy` while it was still at work, `Rate` beyond the rates, `Failing` in the pause after a failure, `NoPicture` because the camera had none, `Unread` because a message was none of Frigate's events.",
    objectOf({ Busy: WHOLE, Rate: WHOLE, Failing: WHOLE, NoPicture: WHOLE, Unread: WHOLE }),
  ),
  LastAnswerTime: orNull(TEXT),
});

export const ANALYSERS_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/analysers",
  login: "administrator",

  describe: {
    topic: "analysis",
    summary: "Reports how each analyser does",
    text: ["Figures count from the moment at which the analyser was switched on or changed."],
    answer: jsonAnswer(listOf(ANALYSER_STATE), "All analysers."),
    example: ['curl -fu "$AUTH" "$NVRD/api/analysers"'],
  },
  /** GET /api/analysers */
  endpoint({ needs }) {
    const states = new Map(needs.analysis.states().map((state) => [state.id, state]));
    return answerJson(
      needs.site.current.analysers.map(({ id, name, isEnabled, source }) => ({
        Id: id,
        Name: name,
        Kind: source.kind === "vision" ? "Vision" : "Frigate",
        IsEnabled: isEnabled,
        ...describeState(states.get(id)),
      })),
    );
  },
};

function describeState(state: AnalyserState | undefined): object {
  const dropped = state?.dropped ?? NO_DROPS;
  return {
    IsFailing: state?.isFailing ?? false,
    Problem: state?.problem ?? null,
    Asked: state?.asked ?? 0,
    Answered: state?.answered ?? 0,
    Failed: state?.failed ?? 0,
    Told: state?.told ?? 0,
    Dropped: {
      Busy: dropped.busy,
      Rate: dropped.rate,
      Failing: dropped.failing,
      NoPicture: dropped.noPicture,
      Unread: dropped.unread,
    },
    LastAnswerTime: state?.lastAnswerUs === undefined ? null : formatIsoTime(state.lastAnswerUs),
  };
}
