/**
 * api/route: what all topics of the API share.
 *
 * Belongs here: the route and its table, the router, rights, reading parameters and bodies, answers in XML and JSON,
 * descriptions for /openapi.json, lists and objects of the configuration as endpoints, open streams.
 * Does not belong here: an endpoint (its topic), HTTP syntax (`http`).
 */
export { type AnswerFormat, answerCommand, answerDocument, answerFormat, answerJson } from "./answer.js";
export { channelNameOf, raiseArchiveAct } from "./archive-audit.js";
export { BodyReader, Faults, parseJsonBody, unknownId } from "./body-reader.js";
export {
  channelIds,
  given,
  guidOrNone,
  guids,
  guidText,
  members,
  nameText,
  readBody,
} from "./body-schema.js";
export {
  archiveKey,
  readStreamType,
  receivableKey,
  requireArchiveRight,
  requireChannel,
  requireChannelId,
  selectChannel,
  visibleCameras,
  wholeArchiveKey,
} from "./channel-selection.js";
export { answerInChunks } from "./chunked-answer.js";
export {
  type CollectionEndpoints,
  checkChannels,
  checkIds,
  collection,
  type InputPlace,
  notFound,
  OBJECTS_PER_REQUEST_MAX,
} from "./collection.js";
export { collectionRoutes } from "./collection-routes.js";
export {
  CHANGE_PARAMETERS,
  changedIds,
  OTHER_OBJECTS,
  OTHER_REVISION,
  UNKNOWN_IDS,
} from "./configuration-change.js";
export { answerConfiguration, editConfiguration } from "./configuration-edit.js";
export {
  type Endpoint,
  type EndpointResult,
  type KeptContext,
  type NamedContext,
  type RequestContext,
  STREAMED,
} from "./context.js";
export { readCredentials } from "./credentials.js";
export { readDecimal } from "./decimal.js";
export {
  attribute,
  type Description,
  type Document,
  element,
  jsonOnly,
  list,
  type Member,
  object,
  type Scalar,
  toJson,
} from "./description.js";
export { readExpectedRevision } from "./expected-revision.js";
export {
  choice,
  FLAG,
  GUID,
  GUID_OR_EMPTY,
  givenMember,
  guidsWithCommas,
  ISO_TIME,
  type JsonSchema,
  LINE_PATTERN,
  LINES_PATTERN,
  linesUpTo,
  lineUpTo,
  listOf,
  meaning,
  NO_ID,
  type Note,
  NUMBER,
  named,
  objectOf,
  orNull,
  range,
  SOME_ID,
  schemaOfBody,
  schemaOfValue,
  TEXT,
  textUpTo,
  WHOLE,
  when,
  withNotes,
  withoutControls,
} from "./json-schema.js";
export {
  INDEX_IS_OPENING,
  nothingRecordedOf,
  RECORDED_HINT,
  requireIndex,
  requireKnown,
} from "./known-recordings.js";
export { answerList } from "./list-document.js";
export { properlyNamed } from "./member-names.js";
export { noLiveStream } from "./no-live-stream.js";
export type { CollectionDescription, SettingsDescription } from "./object-description.js";
export { OpenStreams } from "./open-streams.js";
export { comesFromElsewhere } from "./own-page.js";
export { changeOwnSecret, requireOwnUser } from "./own-secret.js";
export { RequestLogin } from "./request-login.js";
export {
  hasRight,
  isAllForbidden,
  type RouteRight,
  requireAdministration,
  requireRoute,
} from "./rights.js";
export { presentRotations, rotationOf } from "./rotation.js";
export { isOpenRoute, type Route } from "./route.js";
export {
  bothAnswer,
  header,
  jsonAnswer,
  type ParameterDescription,
  query,
  type RouteDescription,
  type StatusTexts,
} from "./route-description.js";
export { RouteTable } from "./route-table.js";
export { type RequestRefusal, Router } from "./router.js";
export { type Folder, foldersOf, hangsOnRoot, placeChannels, withFolders } from "./security-folders.js";
export type { ServerReach } from "./server-reach.js";
export { zoneOffsetHours, zoneOffsetMinutes } from "./server-zone.js";
export { SessionCookie } from "./session-cookie.js";
export { settingsRoutes } from "./settings-routes.js";
export { liveHeaders, recordedHeaders, SOUND_HEADER } from "./sound-headers.js";
export { spanText } from "./span-text.js";
export { ANY_TIME, DAY_PATTERN, EVENT_TIME, MOMENT, TIME, TIME_OR_EMPTY } from "./time-schemas.js";
export { TOPICS } from "./topics.js";
export { bodyWarnings, withWarnings } from "./unknown-members.js";
export { untilGone } from "./until-gone.js";
export { type PlaybackRequest, readVideoRequest, type VideoRequest } from "./video-request.js";
export {
  CHANNEL_SELECTION,
  MODE,
  ONE_CHANNEL,
  RESPONSE_TYPE,
  SOUND,
  START_OF_RECORDING,
  STREAM_ACCESS,
  STREAM_PARAMETERS,
  STREAM_RULES,
  STREAM_TYPE_SCHEMA,
  timeParameter,
} from "./viewing-parameters.js";
export {
  receivable,
  refusedViewing,
  requireVideoRights,
  VIEWING_RIGHTS,
  type Viewing,
  viewingOf,
} from "./viewing-rights.js";
