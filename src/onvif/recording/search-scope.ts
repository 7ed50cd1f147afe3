import { parseIsoTime } from "../../base/index.js";
import type { UserCall } from "../soap/operation.js";
import { invalidArgument } from "../soap/soap-message.js";
import type { DeviceRecording, Recordings } from "./recordings.js";

/** Where and when a search looks. */

const SCOPE_MAX = 256;
const TIME_US_MAX = Date.UTC(2100, 0, 1) * 1000;

/** The recordings of a search's scope; names that are none's are no error. */
export function inScope(recordings: Recordings, { user, content }: UserCall): readonly DeviceRecording[] {
  const scope = content.child("Scope");
  if (scope?.child("RecordingInformationFilter") !== undefined)
    throw invalidArgument("InvalidFilterFault", "recordings are chosen by their tokens, not by a filter");
  const tokens = scope?.children("IncludedRecordings").map((each) => each.text()) ?? [];
  const sources = scope?.children("IncludedSources").map((each) => each.text("Token")) ?? [];
  if (tokens.length + sources.length > SCOPE_MAX)
    throw invalidArgument("TooManyTokens", `a search has at most ${SCOPE_MAX} recordings and sources`);
  const isWanted = ({ camera }: DeviceRecording): boolean =>
    (tokens.length === 0 && sources.length === 0) ||
    tokens.includes(camera.id) ||
    sources.some((source) => source.endsWith(camera.id));
  return recordings.all(user).filter(isWanted);
}

/** From where to where a search goes, Unix microseconds: backwards if `endUs` is before `startUs`. Throws SoapFault. */
export function spanOf({ content }: UserCall): { readonly startUs: number; readonly endUs: number } {
  return {
    startUs: momentOf(content.text("StartPoint")) ?? 0,
    endUs: momentOf(content.text("EndPoint")) ?? TIME_US_MAX,
  };
}

/** Unix microseconds; undefined where no time is written. Throws SoapFault. */
export function momentOf(text: string): number | undefined {
  if (text === "") return undefined;
  const ms = Date.parse(text);
  const us = parseIsoTime(text) ?? (Number.isNaN(ms) ? undefined : ms * 1000);
  if (us === undefined) throw invalidArgument("InvalidTime", "a time is as 2026-11-21T09:00:00Z");
  return Math.min(Math.max(us, 0), TIME_US_MAX);
}
