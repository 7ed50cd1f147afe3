import { requestJson } from "../../state/request.js";

/** How far back the recordings reach, as `GET /api/archive` has it; what the page uses. */
export interface ArchiveState {
  readonly Time: string;
  readonly UsedBytes: number;
  readonly AllowedBytes: number;
  readonly BytesPerDay: number | null;
  readonly DaysHeld: number | null;
  readonly FullTime: string | null;
  readonly Channels: readonly ArchiveChannel[];
}

export interface ArchiveChannel {
  readonly ChannelId: string;
  readonly Name: string;
  readonly OldestTime: string | null;
  readonly CompleteSinceTime: string | null;
  readonly DepthDays: number | null;
  readonly Reason: "Began" | "Age" | "Space" | "Minimum" | "MinimumUnmet" | "Nothing";
  readonly MinDays: number;
  readonly MaxDays: number;
  readonly BytesPerDay: number | null;
  readonly ForecastDays: number | null;
}

export function readArchive(): Promise<ArchiveState> {
  return requestJson<ArchiveState>("/api/archive");
}
