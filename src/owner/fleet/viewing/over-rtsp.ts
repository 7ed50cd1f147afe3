import type { Principal } from "../../../access/index.js";
import { NvrdError } from "../../../base/index.js";
import type { RequestContent } from "../../../http/index.js";
import { requireHub } from "../boxes.js";
import type { FleetNeeds } from "../fleet-control.js";
import { namedIn } from "../named-channels.js";
import { isShared, type SeenCamera, seenHere } from "./seen-here.js";

/**
 * The camera of a recorder that an RTSP URL names, for who watches it live; undefined: it names none. Rejects with NvrdError NOT_SUPPORTED
 * for what a recorder's camera is not shown by over RTSP at its hub: recordings, sound, MJPEG, MPEG-4 Part 2.
 */
export async function cameraOverRtsp(
  needs: FleetNeeds,
  { content, principal }: { readonly content: RequestContent; readonly principal: Principal },
): Promise<SeenCamera | undefined> {
  const { path, query: sent } = content;
  const named = namedIn(
    { needs, request: { content, path, query: sent, body: new Uint8Array(0) } },
    requireHub(needs),
  );
  const [channel] = named.channels;
  if (channel === undefined) return undefined;
  const query = named.query === undefined ? sent : content.asking(named.query).query;
  const asked = { channel, principal, query };
  const seen = isShared({ needs, ...asked }) ? await seenHere(needs, asked) : undefined;
  if (seen !== undefined) return seen;
  throw new NvrdError(
    "NOT_SUPPORTED",
    "a hub has of its recorders live pictures in H.264 and H.265 over RTSP",
    {
      hint: "use GET /video, or ask the recorder itself",
    },
  );
}
