import { formatQuery } from "../../contract/query/index.js";
import {
  answerFormat,
  answerMade,
  bothAnswer,
  describeQuery,
  FLAG,
  GUID,
  ISO_TIME,
  listOf,
  meaning,
  objectOf,
  type Route,
  TEXT,
  WHOLE,
  zoneOffsetHours,
} from "../../route/index.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const PART = { type: "object" };

export const CONFIGEX_ROUTE: Route<ConfigurationNeeds> = {
  method: "GET",
  path: "/configex",
  login: "user",
  evenForbidden: true,

  describe: {
    topic: "configuration",
    summary: "Returns the active configuration as the user may see it",
    access: "A group with `IsAllForbidden` sees itself and no channel.",
    text: [
      "Names that differ between XML and JSON: `Revision` is `RevNum` in JSON, `RootSecurityObject` is `RootSecObject`, `IsFaceAnalystEnabled` is `IsFaceRecOn`. Null members are absent in XML and null in JSON: the `Name` of the root folder, the `GeoPosition` of a camera that is not on the map, `Comment` (only in JSON), `ConnectionUrl` and `GisConfig` (only in JSON, always null).",
      "",
      "In **Channels**:",
      "",
      "- `IsPtzOn` and `IsTransmitSoundOn` are true if the function is switched on for the camera and its model supports it; `IsTransmitSoundOn` is false where the camera turned out to take no sound when somebody spoke to it.",
      "- `ArchiveStreamType` is the recorded stream. `ArchiveVideoFormat` and `ArchiveRotationMode` are those of that stream.",
      "- `StreamFormat` and `ArchiveVideoFormat` are what the stream was when it was last received, also before a restart; of a stream that never was, what is configured. They change without a new revision.",
      "- `IsFaceAnalystEnabled` is true where `FaceDetectorEnabled` is on and an [analyser](analysers.md) looks for faces. `IsPeopleCountingOn` and `IsObjectCountingOn` are false, because nothing is counted.",
      "- `TimeZoneOffset` is the server's, in hours.",
      "- `UserScenarios` are empty for users without the right.",
      "",
      "JSON has one blank after each colon. XML has no namespace; a comment before the end names the old one, because some programs look for it.",
      "",
      "The answer is made once for each revision and group: for 64 cameras that takes 6 ms, and nothing after. That of a hub with thousands of channels is made in slices, so that nothing else waits for it.",
    ],
    parameters: describeQuery(formatQuery),
    answer: bothAnswer(
      objectOf({
        Id: GUID,
        SenderId: meaning("This server.", GUID),
        RevNum: meaning("Incremented by every change.", WHOLE),
        Timestamp: meaning("Time of the last change.", ISO_TIME),
        XmlProtocolVersion: WHOLE,
        ServerVersion: TEXT,
        ProductType: TEXT,
        Servers: meaning(
          "This server, and its partners; at a hub also its recorders, with `IsConnected` in JSON: see [fleet](../guide/fleet.md).",
          listOf(PART),
        ),
        Channels: meaning(
          "The channels that the user may see.",
          listOf(objectOf({ Id: GUID, Name: TEXT }, ["Id", "Name"])),
        ),
        RootSecObject: meaning(
          "The folders that hold a channel the user may see. Senior administrators see empty ones too.",
          PART,
        ),
        UserGroup: meaning(
          "The effective rights: all for senior administrators, none if everything is forbidden.",
          PART,
        ),
        MobileServerInfo: meaning("What is configured and supported by this version.", PART),
        RtspServerInfo: meaning("The same. `TcpPort` is the port that the RTSP server listens on.", PART),
        MobileDevicesCapabilities: meaning(
          "The supported functions. Push messages and the assistant are not part of this API. `Profiles` are those of `getprofiles`, `Gis` the positions and places of this answer.",
          PART,
        ),
        GisConfig: {},
        WorldMapConfig: {},
        UseTimeZones: FLAG,
      }),
      "The configuration.",
    ),
    example: ['curl -fu "$AUTH" "$NVRD/configex"', 'curl -fu "$AUTH" "$NVRD/configex?responsetype=json"'],
  },
  /** GET /configex: the active configuration as the asking user may see it. */
  async endpoint(context) {
    const { needs, principal, request } = context;
    const { configurationAnswers: answers } = needs;
    const format = answerFormat(request.query);
    const view = {
      site: needs.site.current,
      principal,
      version: needs.version,
      productType: needs.productType,
      reach: needs.reach,
      partners: needs.partners.servers,
      servedPaths: needs.servedPaths,
      formats: needs.formats,
      others: needs.otherServers(principal),
      timeZoneOffsetHours: zoneOffsetHours(needs.clock.nowUs()),
    };
    const body = await answers.body(view, format);
    return await answers.whileSent(body, () => answerMade(context, body));
  },
};
