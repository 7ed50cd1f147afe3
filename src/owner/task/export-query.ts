/** What a file is to be made of, as tasks have it. */
interface ExportOrder {
  readonly ChannelId: string;
  readonly FromTime: string;
  readonly ToTime: string;
  readonly StreamType?: string | null | undefined;
  readonly Sound?: boolean | null | undefined;
  readonly Part?: number | null | undefined;
}

/** The query of `GET /exportarchive` for the same recordings. */
export function exportQueryOf({ ChannelId, FromTime, ToTime, StreamType, Sound, Part }: ExportOrder): string {
  const query = new URLSearchParams({ channelid: ChannelId, fromtime: FromTime, totime: ToTime });
  if (StreamType) query.set("streamtype", StreamType);
  if (Sound === true) query.set("sound", "on");
  if (Part) query.set("part", `${Part}`);
  return query.toString();
}
