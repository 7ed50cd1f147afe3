/**
 * route: what all endpoints share.
 *
 * Belongs here: the route and its table, the router, rights, reading parameters and bodies, answers in XML and JSON,
 * descriptions for /openapi.json, lists and objects of the configuration as endpoints, open streams.
 * Does not belong here: an endpoint (its topic), HTTP syntax (`http`).
 *
 * Parts: `body/`: what is sent, and its schemas; `endpoint/`: the route, its rights, its description, its table; `answer/`: what is
 * answered; `login/`: who asks; `collection/`: lists and objects of the configuration; `viewing/`: which video is asked for. The
 * router lies beside them.
 */
export { answerCommand, answerDocument, answerFormat, answerJson, documentType } from "./answer/answer.js";
export { capitalized, capitalName } from "./answer/capital-members.js";
export { answerInChunks } from "./answer/chunked-answer.js";
export {
  attribute,
  type Description,
  type Document,
  describedLater,
  element,
  jsonOnly,
  list,
  type Member,
  object,
  toJson,
} from "./answer/description.js";
export { type AnswerFormat, documentTexts } from "./answer/document-text.js";
export { answerList } from "./answer/list-document.js";
export { answerLongJson, valueTexts } from "./answer/long-json.js";
export { answerLongCommand, answerMade, type MadeBody, makeBody } from "./answer/made-body.js";
export { answerPicture, NO_PICTURE_TEXT } from "./answer/optional-picture.js";
export { languageOf, refusalIn } from "./answer/refusal-words.js";
export { BodyReader, Faults, unknownId } from "./body/body-reader.js";
export { given, guidOrNone, guidText, members, nameText, readBody } from "./body/body-schema.js";
export { schemaOf, schemaOfMessages, schemaOfResource } from "./body/contract-schema.js";
export { parseJsonBody } from "./body/json-body.js";
export {
  choice,
  FLAG,
  GUID,
  givenMember,
  ISO_TIME,
  type JsonSchema,
  linesUpTo,
  lineUpTo,
  listOf,
  meaning,
  NO_ID,
  NUMBER,
  named,
  objectOf,
  orNull,
  range,
  SOME_ID,
  schemaOfBody,
  TEXT,
  textUpTo,
  WHOLE,
  when,
  withNotes,
  withoutControls,
} from "./body/json-schema.js";
export { properlyNamed } from "./body/member-names.js";
export { readMember, readMembers } from "./body/member-reader.js";
export { ENTER_AGAIN, MASKED_FAULT, secretAfter } from "./body/stored-secret.js";
export { DAY_PATTERN, MOMENT, TIME, TIME_OR_EMPTY } from "./body/time-schemas.js";
export { bodyWarnings, withWarnings } from "./body/unknown-members.js";
export {
  type CollectionEndpoints,
  checkChannels,
  checkIds,
  collection,
  type InputPlace,
  notFound,
  OBJECTS_PER_REQUEST_MAX,
} from "./collection/collection.js";
export { collectionRoutes } from "./collection/collection-routes.js";
export {
  CHANGE_PARAMETERS,
  changedIds,
  OTHER_OBJECTS,
  OTHER_REVISION,
  UNKNOWN_IDS,
} from "./collection/configuration-change.js";
export { answerConfiguration, editConfiguration } from "./collection/configuration-edit.js";
export { readExpectedRevision } from "./collection/expected-revision.js";
export type { CollectionDescription, SettingsDescription } from "./collection/object-description.js";
export { settingsRoutes } from "./collection/settings-routes.js";
export { checkVariant, variantRules } from "./collection/variant-members.js";
export {
  type Endpoint,
  type EndpointResult,
  type KeptContext,
  LoggedInRequest,
  type NamedContext,
  type RequestContext,
  STREAMED,
} from "./endpoint/context.js";
export { OpenStreams } from "./endpoint/open-streams.js";
export {
  describeQuery,
  momentOf,
  readParameter,
  readQuery,
  requireParameter,
  sentText,
} from "./endpoint/query-parameters.js";
export { type RouteRight, requireAdministration, requireRoute } from "./endpoint/rights.js";
export { isOpenRoute, type LoginRoute, type Route } from "./endpoint/route.js";
export {
  bothAnswer,
  header,
  jsonAnswer,
  type ParameterDescription,
  type RouteDescription,
  type StatusTexts,
} from "./endpoint/route-description.js";
export { RouteTable } from "./endpoint/route-table.js";
export type { ServerReach } from "./endpoint/server-reach.js";
export { zoneOffsetHours, zoneOffsetMinutes } from "./endpoint/server-zone.js";
export { spanText } from "./endpoint/span-text.js";
export { TOPICS } from "./endpoint/topics.js";
export { untilGone } from "./endpoint/until-gone.js";
export { readCredentials } from "./login/credentials.js";
export { requirePrivateName } from "./login/foreign-page.js";
export { HUB_DOOR } from "./login/hub-login.js";
export { comesFromElsewhere, proxyHint } from "./login/own-page.js";
export { changeOwnSecret, requireOwnUser } from "./login/own-secret.js";
export { RequestLogin } from "./login/request-login.js";
export { type CookieRequest, SessionCookie } from "./login/session-cookie.js";
export { StrangerTime } from "./login/stranger-time.js";
export { TicketCookie } from "./login/ticket-cookie.js";
export { type RequestRefusal, Router } from "./router.js";
export { channelNameOf, raiseArchiveAct } from "./viewing/archive-audit.js";
export {
  archiveKey,
  requireArchiveRight,
  requireChannel,
  requireRecordedChannel,
  selectChannel,
  streamTypeNamed,
} from "./viewing/channel-selection.js";
export { MULTIPART_HEADERS } from "./viewing/multipart-headers.js";
export { noLiveStream } from "./viewing/no-live-stream.js";
export { LACK_HEADER, sayLack } from "./viewing/recordings-lack.js";
export { liveHeaders, recordedHeaders, SOUND_HEADER } from "./viewing/sound-headers.js";
export { type PlaybackRequest, readVideoRequest, type VideoRequest } from "./viewing/video-request.js";
export {
  ONE_CHANNEL,
  START_OF_RECORDING,
  STREAM_ACCESS,
  STREAM_RULES,
} from "./viewing/viewing-parameters.js";
export { receivable, requireVideoRights, VIEWING_RIGHTS, viewingOf } from "./viewing/viewing-rights.js";
