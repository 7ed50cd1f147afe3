import type { Principal } from "../../access/index.js";
import type { Guid } from "../../base/index.js";
import {
  allProtectedTimes,
  type ProtectedTimeOfChannel,
  type ProtectionLoss,
  protectionLoss,
} from "../../contract/answer/index.js";
import { recordedCamera } from "../../player/index.js";
import {
  answerJson,
  channelNameOf,
  type EndpointResult,
  jsonAnswer,
  type RequestContext,
  type Route,
  schemaOf,
} from "../../route/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";
import { PROTECTED_RIGHTS, protectedObject } from "./channel-protected.js";

export const ALL_PROTECTED_ROUTES: readonly Route<ArchiveNeeds>[] = [
  {
    method: "GET",
    path: "/api/protected",
    login: "user",
    rights: PROTECTED_RIGHTS,

    describe: {
      topic: "archive",
      summary: "Lists the protected times of all channels, the newest protection first",
      access:
        "Of channels that are allowed in the archive; for senior administrators also those of deleted cameras.",
      text: [
        "An addition of nvrd's. `POST` and `DELETE` of [a channel's protected times](#post-apichannelsidprotected) protect and release.",
      ],
      answer: jsonAnswer(schemaOf(allProtectedTimes), "The protected times."),
      example: ['curl -fu "$AUTH" "$NVRD/api/protected"'],
    },
    /** GET /api/protected: the protected times of all channels that the user may manage. */
    async endpoint(context) {
      const { needs, principal } = context;
      const channels = needs.protection.channels().filter((id) => mayManage(needs, principal, id));
      const found = [];
      for (const channelId of channels) {
        const channelName = channelNameOf(context, channelId);
        for (const state of await needs.protection.list(channelId)) found.push({ state, channelName });
      }
      found.sort((a, b) => b.state.createdUs - a.state.createdUs);
      return answerJson<readonly ProtectedTimeOfChannel[]>(
        found.map(({ state, channelName }) => ({ ...protectedObject(state), ChannelName: channelName })),
      );
    },
  },
  {
    method: "POST",
    path: "/api/protected/accept",
    login: "administrator",
    endpoint: acceptLoss,
    describe: {
      topic: "archive",
      summary: "Accepts that protected times are lost: what is known of them is all",
      text: [
        "For the problem `protection-unknown` of [GET /api/health](#get-apihealth): the list of protected times is damaged in the data directory and on a volume, or the list of recordings that were given to cameras is, so retention deletes nothing there. It deletes again from now on, except for the protected times that are known. The damaged list stays beside the new one as `protected.json.damaged` (`given-recordings.json.damaged`); what was given is to be given again.",
      ],
      answer: jsonAnswer(schemaOf(protectionLoss), "The list is taken as it is."),
      errors: { 503: "The system disk cannot be written." },
      example: ['curl -fu "$AUTH" -X POST "$NVRD/api/protected/accept"'],
    },
  },
];

/** POST /api/protected/accept: what is known to be protected is all that is. */
async function acceptLoss({ needs, principal, log }: RequestContext<ArchiveNeeds>): Promise<EndpointResult> {
  const { lack = null } = needs.protection;
  if (lack !== null) await needs.protection.acceptLoss();
  log.warn({ user: principal.user.name, lost: lack }, "protected times are taken as they are known");
  return answerJson<ProtectionLoss>({ Lost: lack });
}

function mayManage(needs: ArchiveNeeds, principal: Principal, channelId: Guid): boolean {
  if (!principal.mayWatchArchive(channelId)) return false;
  if (principal.group.seniorAdministrators) return true;
  return recordedCamera(needs, principal, channelId) !== undefined;
}
