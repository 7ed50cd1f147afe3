import { hasRight } from "../../access/index.js";
import { NvrdError, parseGuid } from "../../base/index.js";
import { GUID, members, type RequestContext, readBody, schemaOfBody, withNotes } from "../../route/index.js";
import type { Task } from "../../task/index.js";
import { speakerOf, speakWhileAllowed, talkCamera } from "../talk/index.js";
import { shortText } from "./input.js";
import { ownerOf, type StartableKind, type TaskNeeds } from "./task-kind.js";

const announceBody = members({ ChannelId: shortText, AnnouncementId: shortText });
const LOOK_MS = 250;

export const ANNOUNCE_KIND: StartableKind = {
  kind: "Announce",
  access: "users who may speak to the channel (`CanTransmitSound`)",
  body: withNotes(schemaOfBody(announceBody), {
    ChannelId: GUID,
    AnnouncementId: { ...GUID, description: "One of [the list](#get-apiannouncements)." },
  }),
  start: startAnnouncing,
};

/** Plays an announcement at a camera. It ends when its user may no longer speak. */
function startAnnouncing({ needs, request, principal, credentials }: RequestContext<TaskNeeds>): Task {
  const { ChannelId, AnnouncementId } = readBody(announceBody, request.body);
  if (!hasRight(principal, "CanTransmitSound"))
    throw new NvrdError("FORBIDDEN", "your group may not do this (right CanTransmitSound)");
  const { id: channelId, name } = talkCamera(needs.site, principal, ChannelId, parseGuid(ChannelId));
  const announcementId = parseGuid(AnnouncementId);
  if (announcementId === undefined)
    throw new NvrdError("NOT_FOUND", "there is no such announcement", { hint: "see GET /api/announcements" });
  const { announcements, tasks, openStreams, clock } = needs;
  const { name: title, seconds } = announcements.get(announcementId);
  return tasks.start({
    ...{ kind: "Announce", owner: ownerOf(principal), subject: `${name}: ${title}`, canCancel: true },
    run: async ({ signal, progress, step, result }) => {
      step("the camera is asked");
      const by = speakerOf(principal);
      const { speech, forget } = await speakWhileAllowed(openStreams, {
        ...{ credentials, channelId, signal },
        begin: async (both) =>
          (await announcements.play({ channelId, announcementId, signal: both, by })).speech,
      });
      step("it is played");
      const timer = clock.setInterval(() => progress(speech.seconds / seconds), LOOK_MS);
      try {
        const end = await speech.ended;
        result({ Seconds: end.seconds });
        if (end.reason !== undefined) throw end.reason;
      } finally {
        timer.clear();
        forget();
      }
    },
  });
}
