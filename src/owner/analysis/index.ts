/**
 * owner/analysis: analysers of pictures, and the search for what they found.
 *
 * Belongs here: how the analysers do, a picture as a test, findings by label, place and time, the picture of a finding.
 * Does not belong here: looking at pictures (`analysis`), the analysers' configuration (`compat/configuration`), events (`compat/event`).
 */
import type { Route } from "../../route/index.js";
import { ANALYSERS_ROUTE } from "./get-analysers.js";
import { FINDING_PICTURE_ROUTE } from "./get-finding-picture.js";
import { FINDINGS_ROUTE } from "./get-findings.js";
import type { AnalysisNeeds } from "./needs.js";
import { ANALYSER_TEST_ROUTE } from "./post-analyser-test.js";

export type { AnalysisNeeds } from "./needs.js";

export const ANALYSIS_ROUTES: readonly Route<AnalysisNeeds>[] = [
  ANALYSERS_ROUTE,
  ANALYSER_TEST_ROUTE,
  FINDINGS_ROUTE,
  FINDING_PICTURE_ROUTE,
];
