import type { AnalyserDrops, AnalyserState } from "../../analysis/index.js";
import { formatIsoTime } from "../../base/index.js";
import { type AnalyserStateItem, analyserStates } from "../../contract/answer/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import type { AnalysisNeeds } from "./object-trials.js";

/** Of an analyser that is off; the room is not even loaded. */
const NO_DROPS: AnalyserDrops = { busy: 0, rate: 0, failing: 0, noPicture: 0, unread: 0 };

export const ANALYSERS_ROUTE: Route<AnalysisNeeds> = {
  method: "GET",
  path: "/api/analysers",
  login: "administrator",

  describe: {
    topic: "analysis",
    summary: "Reports how each analyser does",
    text: ["Figures count from the moment at which the analyser was switched on or changed."],
    answer: jsonAnswer(schemaOf(analyserStates), "All analysers."),
    example: ['curl -fu "$AUTH" "$NVRD/api/analysers"'],
  },
  /** GET /api/analysers */
  endpoint({ needs }) {
    const states = new Map(needs.analysis.states().map((state) => [state.id, state]));
    return answerJson<readonly AnalyserStateItem[]>(
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

function describeState(
  state: AnalyserState | undefined,
): Omit<AnalyserStateItem, "Id" | "Name" | "Kind" | "IsEnabled"> {
  const dropped = state?.dropped ?? NO_DROPS;
  return {
    IsFailing: state?.isFailing ?? false,
    Problem: state?.problem ?? null,
    Asked: state?.asked ?? 0,
    Answered: state?.answered ?? 0,
    Failed: state?.failed ?? 0,
    Told: state?.reportedEvents ?? 0,
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
