import {
  bothAnswer,
  FLAG,
  GUID,
  ISO_TIME,
  jsonAnswer,
  listOf,
  objectOf,
  RESPONSE_TYPE,
  type RouteDescription,
  TEXT,
  WHOLE,
} from "../route/index.js";

const PART = { type: "object" };

/** /configex and /openapi.json itself, as the latter describes them. */
export const CONFIGEX_DESCRIPTION: RouteDescription = {
  summary: "The active configuration as the asking user may see it",
  parameters: [RESPONSE_TYPE],
  answer: bothAnswer(
    objectOf({
      Id: GUID,
      SenderId: GUID,
      RevNum: WHOLE,
      Timestamp: ISO_TIME,
      XmlProtocolVersion: WHOLE,
      ServerVersion: TEXT,
      ProductType: TEXT,
      Servers: listOf(PART),
      Channels: listOf(objectOf({ Id: GUID, Name: TEXT }, ["Id", "Name"])),
      RootSecObject: PART,
      UserGroup: PART,
      MobileServerInfo: PART,
      RtspServerInfo: PART,
      MobileDevicesCapabilities: PART,
      GisConfig: {},
      WorldMapConfig: {},
      UseTimeZones: FLAG,
    }),
    "The configuration.",
  ),
};

export const OPENAPI_DESCRIPTION: RouteDescription = {
  summary: "This description: every route, its parameters, bodies and answers",
  answer: jsonAnswer(PART, "OpenAPI 3.1."),
};
