/**
 * owner/talk: sound to cameras: /api/channels/{id}/talk and /api/announcements.
 *
 * Belongs here: reading what is sent, who may speak and for how long, a speaker's WebSocket, announcements that are kept.
 * Does not belong here: the session with the camera and its pace (`camera`), announcements as long work (`task`).
 */
import type { Route } from "../../route/index.js";
import { ANNOUNCEMENT_ROUTES } from "./announcements.js";
import { TALK_SOCKET_ROUTE, type TalkNeeds } from "./get-talk.js";
import { TALK_ROUTE } from "./post-talk.js";

export type { TalkNeeds } from "./get-talk.js";
export { speakerOf, speakWhileAllowed, talkCamera } from "./speaking.js";

export const TALK_ROUTES: readonly Route<TalkNeeds>[] = [
  TALK_ROUTE,
  TALK_SOCKET_ROUTE,
  ...ANNOUNCEMENT_ROUTES,
];
