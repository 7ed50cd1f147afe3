/** A part as a playlist lists it. */
export interface ReadPart {
  readonly uri: string;
  readonly duration: number;
  readonly independent: boolean;
}

/** A segment as a playlist lists it; the last one may grow, and has no `uri` yet. */
export interface ReadSegment {
  readonly sequence: number;
  readonly uri: string | undefined;
  readonly duration: number | undefined;
  readonly timeMs: number | undefined;
  readonly map: string;
  /** Discontinuities up to its begin, those that have left the list counted. */
  readonly discontinuities: number;
  readonly parts: readonly ReadPart[];
}

export interface ReadPlaylist {
  readonly targetDuration: number;
  readonly partTarget: number | undefined;
  readonly partHoldBack: number | undefined;
  readonly preloadHint: string | undefined;
  readonly startOffset: number | undefined;
  readonly ended: boolean;
  readonly segments: readonly ReadSegment[];
}

/** Reads a media playlist as RFC 8216 and its second edition have it; throws at a tag it does not know. */
export function readPlaylist(text: string): ReadPlaylist {
  const lines = text.split("\n").filter((line) => line !== "");
  if (lines[0] !== "#EXTM3U") throw new Error(`no playlist: ${text.slice(0, 80)}`);
  const header: Record<string, string> = {};
  const segments: ReadSegment[] = [];
  let sequence = 0;
  let discontinuities = 0;
  let map = "";
  let parts: ReadPart[] = [];
  let duration: number | undefined;
  let timeMs: number | undefined;
  const push = (uri: string | undefined): void => {
    segments.push({ sequence, uri, duration, timeMs, map, discontinuities, parts });
    sequence += 1;
    parts = [];
    duration = undefined;
    timeMs = undefined;
  };
  for (const line of lines.slice(1)) {
    if (!line.startsWith("#")) {
      push(line);
      continue;
    }
    const [, tag = "", value = ""] = /^#(EXT[^:]*):?(.*)$/.exec(line) ?? [];
    if (tag === "EXT-X-PART") parts.push(readPart(value));
    else if (tag === "EXTINF") duration = Number.parseFloat(value);
    else if (tag === "EXT-X-PROGRAM-DATE-TIME") timeMs = Date.parse(value);
    else if (tag === "EXT-X-MAP") map = attribute(value, "URI") ?? "";
    else if (tag === "EXT-X-DISCONTINUITY") discontinuities += 1;
    else if (HEADER_TAGS.has(tag)) {
      if (header[tag] !== undefined) throw new Error(`${tag} twice`);
      header[tag] = value;
      if (tag === "EXT-X-MEDIA-SEQUENCE") sequence = Number(value);
      if (tag === "EXT-X-DISCONTINUITY-SEQUENCE") discontinuities += Number(value);
    } else throw new Error(`unknown tag ${line}`);
  }
  if (parts.length > 0 || duration !== undefined) push(undefined);
  const control = header["EXT-X-SERVER-CONTROL"] ?? "";
  const hold = attribute(control, "PART-HOLD-BACK");
  const target = attribute(header["EXT-X-PART-INF"] ?? "", "PART-TARGET");
  const start = attribute(header["EXT-X-START"] ?? "", "TIME-OFFSET");
  return {
    targetDuration: Number(header["EXT-X-TARGETDURATION"]),
    partTarget: target === undefined ? undefined : Number(target),
    partHoldBack: hold === undefined ? undefined : Number(hold),
    preloadHint: attribute(header["EXT-X-PRELOAD-HINT"] ?? "", "URI"),
    startOffset: start === undefined ? undefined : Number(start),
    ended: header["EXT-X-ENDLIST"] !== undefined,
    segments,
  };
}

const HEADER_TAGS = new Set([
  "EXT-X-VERSION",
  "EXT-X-TARGETDURATION",
  "EXT-X-SERVER-CONTROL",
  "EXT-X-PART-INF",
  "EXT-X-MEDIA-SEQUENCE",
  "EXT-X-DISCONTINUITY-SEQUENCE",
  "EXT-X-START",
  "EXT-X-PRELOAD-HINT",
  "EXT-X-ENDLIST",
]);

function readPart(value: string): ReadPart {
  const duration = Number(attribute(value, "DURATION"));
  return {
    uri: attribute(value, "URI") ?? "",
    duration,
    independent: attribute(value, "INDEPENDENT") === "YES",
  };
}

function attribute(list: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|,)${name}=(?:"([^"]*)"|([^",]*))`).exec(list);
  return match?.[1] ?? match?.[2];
}
