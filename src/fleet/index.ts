/**
 * fleet: many recorders as one place: a hub that recorders connect to by themselves, over connections that they open.
 *
 * Belongs here: a hub's list of recorders, its authority and its requests to them; a recorder's membership of a hub, the link to it on
 * a thread of its own, and the check of who asks; recorders of one LAN that trust each other without a hub.
 * Does not belong here: the endpoints (`owner`), what a hub's user may do at a recorder (`access`), recordings off the box (`away`).
 *
 * Parts: `join/`: codes, certificates, what a recorder and its hub say when it joins, renews or leaves; `link/`: the connections of a
 * recorder to its hub, and what comes over them; `box/`: a recorder's membership; `hub/`: the hub; `partner/`: recorders of one LAN that
 * stand by each other: who they are, beats, requests from one to the other; `rollout/`: an update of many boxes, in groups.
 *
 * A room that is loaded only where a recorder belongs to a hub, is one, or has a partner.
 */
export { type HubLimits, HubMembership, type MembershipState } from "./box/membership.js";
export type { StorageAccess } from "./box/membership-file.js";
export type { BoxChannels, ChannelPlace } from "./hub/box-catalogue.js";
export type { BoxChannel, BoxFolder } from "./hub/box-configuration.js";
export { type AnswerHead, headOf, type WholeAnswer, wholeAnswer } from "./hub/box-link.js";
export type { Documents } from "./hub/file-documents.js";
export {
  type BoxRequest,
  type BoxState,
  Hub,
  type HubLogins,
  type PeerLive,
  type SharedHub,
} from "./hub/hub.js";
export { BucketHubStore, type HubStore } from "./hub/hub-store.js";
export { SealedDocuments } from "./hub/sealed-documents.js";
export { isServedOffSite, OFF_SITE_HEADER, STAND_INS_MAX, type StandInApi } from "./hub/stand-ins.js";
export { clientFrame, closePayload, OPCODES, serverFrame, WebSocketFrames } from "./hub/web-socket-frames.js";
export { type HandedStorage, STORAGE_AUTHORITY_LENGTH_MAX, storageTarget } from "./link/handed-storage.js";
export type { BoxAbout, BoxFigures } from "./link/link-messages.js";
export { startLinkThread } from "./link/link-thread.js";
export { type KeptPlace, keptPlace } from "./partner/kept-place.js";
export {
  askOver,
  connectPartner,
  type PartnerAnswer,
  type PartnerPlace,
  type PartnerQuestion,
} from "./partner/partner-connection.js";
export type { Partner } from "./partner/partner-list.js";
export type { Beat } from "./partner/partner-messages.js";
export type { NoteWay } from "./partner/partner-notes.js";
export { answerPartner, bodyOf, jsonOf, type PartnerCall } from "./partner/partner-port.js";
export { type OwnFacts, type PartnerHandler, type PartnerState, Partners } from "./partner/partners.js";
export { Rollout, type RolloutInbox, type RolloutState } from "./rollout/rollout.js";
