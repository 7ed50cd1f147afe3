import { trackControl } from "./session-description.js";
import type { SessionTrack } from "./session-track.js";

/** A request's URI, split into the resource for the resolver and the track. */
export interface RequestTarget {
  readonly resource: string;
  readonly track: number | undefined;
}

/** The track at the end of a URI, or at the end of its path, if a client joins URLs by RFC 3986. */
const TRACK = /\/trackID=(\d{1,3})\/?(?=$|\?)/;

/** `rtsp://host:port/path?query/trackID=1` to `/path?query` and 1. */
export function targetOf(uri: string): RequestTarget {
  const afterHost = uri.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "");
  const match = TRACK.exec(afterHost);
  const resource = afterHost.replace(TRACK, "").replace(/\/$/, "");
  return { resource: resource === "" ? "/" : resource, track: match === null ? undefined : Number(match[1]) };
}

/** The URI without its track. */
export function baseOf(uri: string): string {
  return uri.replace(TRACK, "").replace(/\/$/, "");
}

export function withoutCredentials(uri: string): string {
  return uri.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?]*@/i, "$1");
}

/** A track's entry in RTP-Info (RFC 2326, 12.33); `rtpTimestamp`: of its first packet, if known. */
export function rtpInfo(base: string, track: SessionTrack, rtpTimestamp: number | undefined): string {
  const time = rtpTimestamp === undefined ? "" : `;rtptime=${rtpTimestamp}`;
  return `url=${base}/${trackControl(track.index)};seq=${track.sequence}${time}`;
}
