/**
 * owner/analysis: analysers of pictures, and what was seen of the channels, whoever saw it.
 *
 * Belongs here: how the analysers do, a picture as a test, findings, their search, pictures, and what users have seen of them.
 * Does not belong here: looking at pictures (`analysis`), keeping findings (`finding`), the analysers' configuration (`compat/configuration`), events (`compat/event`).
 */
import type { Route } from "../../route/index.js";
import { ANALYSERS_ROUTE } from "./get-analysers.js";
import { FINDING_ROUTE } from "./get-finding.js";
import { FINDING_PICTURE_ROUTE } from "./get-finding-picture.js";
import { FINDINGS_ROUTE } from "./get-findings.js";
import type { AnalysisNeeds } from "./object-trials.js";
import { ANALYSER_TEST_ROUTE } from "./post-analyser-test.js";
import { SEEN_ROUTE } from "./post-findings-seen.js";
import { OBJECT_TRIAL_ROUTE } from "./post-object-trial.js";

export type {
  AnalysisNeeds,
  ObjectQuestion,
  ObjectTrials,
  TriedAct,
  TriedFinding,
  TriedObjects,
} from "./object-trials.js";

export const ANALYSIS_ROUTES: readonly Route<AnalysisNeeds>[] = [
  ANALYSERS_ROUTE,
  ANALYSER_TEST_ROUTE,
  FINDINGS_ROUTE,
  SEEN_ROUTE,
  FINDING_ROUTE,
  FINDING_PICTURE_ROUTE,
  OBJECT_TRIAL_ROUTE,
];
