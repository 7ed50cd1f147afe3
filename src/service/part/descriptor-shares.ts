import { readDescriptorLimit } from "../../base/index.js";

/** For recording, before anybody may connect: sockets to cameras and their events, segments, indexes, threads, programs. */
const RECORDING_DESCRIPTORS = 384;
/** Parts of what is left: of each of the ports of HTTP and HTTPS, of RTSP, of the ports for partners and for their replicas. */
const PARTS = { http: 3, rtsp: 2, partners: 1, replicas: 1 } as const;
/** Of a hub's port, where this is one: two connections of each recorder. */
const HUB_PART = 6;
/** Files that are read for viewers, and what this recorder opens to others. */
const FILES_PART = 2;
const CONNECTIONS_MIN = 16;

/** Most connections to each port, so that recording always has the descriptors it needs. */
export interface DescriptorShares {
  readonly http: number;
  readonly rtsp: number;
  readonly hub: number;
  readonly partners: number;
  readonly replicas: number;
}

/** `limit`: how many descriptors the process may have. */
export function descriptorShares(
  { hubPort }: { readonly hubPort: number },
  limit = readDescriptorLimit(),
): DescriptorShares {
  const left = Math.max(0, limit - Math.max(RECORDING_DESCRIPTORS, limit / 4));
  const { http, rtsp, partners, replicas } = PARTS;
  const hub = hubPort === 0 ? 0 : HUB_PART;
  const all = 2 * http + rtsp + partners + replicas + hub + FILES_PART;
  const share = (part: number): number => Math.max(CONNECTIONS_MIN, Math.floor((left * part) / all));
  return {
    ...{ http: share(http), rtsp: share(rtsp), hub: share(hub) },
    ...{ partners: share(partners), replicas: share(replicas) },
  };
}
