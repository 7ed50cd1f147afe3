import { readDescriptorLimit } from "../../base/index.js";

/** For recording, before anybody may connect: sockets to cameras and their events, segments, indexes, threads, programs. */
const RECORDING_DESCRIPTORS = 384;
/** Of what is left: for each of the ports of HTTP and HTTPS, and for RTSP. Files that are read for viewers have the rest. */
const HTTP_SHARE = 0.3;
const RTSP_SHARE = 0.2;
const CONNECTIONS_MIN = 16;

/** Most connections to each port, so that recording always has the descriptors it needs. */
export interface DescriptorShares {
  readonly http: number;
  readonly rtsp: number;
}

/** `limit`: how many descriptors the process may have. */
export function descriptorShares(limit = readDescriptorLimit()): DescriptorShares {
  const left = Math.max(0, limit - Math.max(RECORDING_DESCRIPTORS, limit / 4));
  const share = (part: number): number => Math.max(CONNECTIONS_MIN, Math.floor(left * part));
  return { http: share(HTTP_SHARE), rtsp: share(RTSP_SHARE) };
}
