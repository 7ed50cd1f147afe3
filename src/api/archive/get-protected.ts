import type { Principal } from "../../access/index.js";
import type { Guid } from "../../base/index.js";
import {
  answerJson,
  channelNameOf,
  type EndpointResult,
  jsonAnswer,
  listOf,
  meaning,
  named,
  objectOf,
  type RequestContext,
  type Route,
  type RouteDescription,
  TEXT,
  visibleCameras,
} from "../route/index.js";
import { PROTECTED_MEMBERS, PROTECTED_RIGHTS, protectedObject } from "./channel-protected.js";
import type { ArchiveNeeds } from "./needs.js";

const DESCRIPTION: RouteDescription = {
  topic: "archive",
  summary: "Lists the protected times of all channels, the newest protection first",
  access:
    "Of channels that are allowed in the archive; for senior administrators also those of deleted cameras.",
  text: [
    "An addition of nvrd's. `POST` and `DELETE` of [a channel's protected times](#post-apichannelsidprotected) protect and release.",
  ],
  answer: jsonAnswer(
    listOf(
      named(
        "ProtectedTimeOfChannel",
        objectOf({
          ...PROTECTED_MEMBERS,
          ChannelName: meaning("The present name; empty for a deleted camera.", TEXT),
        }),
      ),
    ),
    "The protected times.",
  ),
  example: ['curl -fu "$AUTH" "$NVR/api/protected"'],
};

export const ALL_PROTECTED_ROUTE: Route<ArchiveNeeds> = {
  method: "GET",
  path: "/api/protected",
  login: "user",
  rights: PROTECTED_RIGHTS,
  endpoint: getAllProtected,
  describe: DESCRIPTION,
};

/** GET /api/protected: the protected times of all channels that the user may manage. */
async function getAllProtected(context: RequestContext<ArchiveNeeds>): Promise<EndpointResult> {
  const { needs, principal } = context;
  const channels = needs.protection.channels().filter((id) => mayManage(needs, principal, id));
  const found = [];
  for (const channelId of channels) {
    const channelName = channelNameOf(context, channelId);
    for (const state of await needs.protection.list(channelId)) found.push({ state, channelName });
  }
  found.sort((a, b) => b.state.createdUs - a.state.createdUs);
  return answerJson(
    found.map(({ state, channelName }) => ({ ...protectedObject(state), ChannelName: channelName })),
  );
}

function mayManage({ site }: ArchiveNeeds, principal: Principal, channelId: Guid): boolean {
  if (!principal.mayWatchArchive(channelId)) return false;
  if (principal.group.seniorAdministrators) return true;
  return visibleCameras(site.current, principal).some(({ id }) => id === channelId);
}
