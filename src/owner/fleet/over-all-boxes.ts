import { maySeeFleet, type Principal } from "../../access/index.js";
import type { PeerLive } from "../../fleet/index.js";
import type { RequestContent } from "../../http/index.js";
import { isOpenRoute, type LoginRoute, type Route } from "../../route/index.js";
import type { FleetNeeds } from "./fleet-control.js";
import type { ViewerNeeds } from "./peer-viewer.js";
import type { SeenCamera } from "./viewing/seen-here.js";

/** What of the API a hub answers for its recorders too: all that is about channels, and changes no configuration. */
const WIDE =
  /^\/(?:video|hls|site|mobile|exportarchive|archivefragments|specialarchiveevents|event|ptz|command|archive_events|api\/(?:strip|timeline|motionsearch|findings|channels|outputs|tasks|files|live|archive\/former))(?:\/|$)/;

/**
 * The route as it is at a hub: what it asks of a recorder's channels is asked there. At a server that is no hub, and for users who may not
 * know its recorders, it is what it was.
 */
export function overAllBoxes<Needs extends FleetNeeds>(route: Route<Needs>): Route<Needs> {
  if (isOpenRoute(route) || !WIDE.test(route.path)) return route;
  const { endpoint, kept } = route;
  const wide: LoginRoute<Needs> = {
    ...route,
    endpoint: (context) =>
      context.needs.boxes() === undefined || !maySeeFleet(context.principal)
        ? endpoint(context)
        : askedWidely(route, context),
  };
  if (kept === undefined) return wide;
  return { ...wide, kept: (context) => (context.needs.boxes() === undefined ? kept(context) : undefined) };
}

/** Loaded at hubs alone. */
async function askedWidely<Needs extends FleetNeeds>(
  route: LoginRoute<Needs>,
  context: Parameters<LoginRoute<Needs>["endpoint"]>[0],
) {
  const { answerWidely } = await import("./wide-answer.js");
  return await answerWidely(context, { path: route.path, here: route.endpoint });
}

/** A camera of a recorder that an RTSP URL names, as one of the hub's own; undefined: it names none. Loaded at hubs alone. */
export async function seenOverRtsp(
  needs: FleetNeeds,
  asked: { readonly content: RequestContent; readonly principal: Principal },
): Promise<SeenCamera | undefined> {
  if (needs.boxes() === undefined || !maySeeFleet(asked.principal)) return undefined;
  const { cameraOverRtsp } = await import("./viewing/over-rtsp.js");
  return await cameraOverRtsp(needs, asked);
}

/** Serves viewers at another hub what is watched here of a recorder. Loaded at hubs alone. */
export async function servePeerLive(needs: ViewerNeeds, live: PeerLive): Promise<void> {
  const { servePeer } = await import("./peer-viewer.js");
  servePeer(needs, live);
}
