import type * as v from "valibot";
import {
  type Analyser,
  analyserValues,
  FACES_PATHS,
  type FrigateCamera,
  type FrigateFeed,
  PLATES_PATHS,
  SECRET_PLACES,
  SITE_LIMITS,
  siteValues,
  type VisionServer,
} from "../../site/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  ENTER_AGAIN,
  given,
  givenMember,
  guidOrNone,
  guids,
  guidText,
  type InputPlace,
  type JsonSchema,
  members,
  nameText,
  type Route,
  secretAfter,
  TEXT,
  when,
} from "../route/index.js";
import type { ConfigurationNeeds } from "./needs.js";

const { flag } = siteValues;
const seconds = given(analyserValues.analyserSeconds);
const perMinute = given(analyserValues.analyserPerMinute);

/** What a new analyser does; of its source, all that has a default. */
const DEFAULTS = { isEnabled: true, minConfidence: 50, quietSeconds: 10, startsRecording: false };
const VISION_DEFAULTS: Omit<VisionServer, "url"> = {
  kind: "vision",
  apiKey: "",
  objects: true,
  plates: false,
  platesPath: "/v1/vision/alpr",
  faces: false,
  facesPath: "/v1/vision/face/recognize",
  channelIds: "all",
  onMotion: true,
  repeatSeconds: 10,
  intervalSeconds: 0,
  perMinuteMax: 60,
  perMinuteOfCameraMax: 12,
  timeoutSeconds: 10,
};
const FRIGATE_DEFAULTS: FrigateFeed = { kind: "frigate", prefix: "frigate", cameras: [] };
/** Where Frigate's size of a camera is not given: its own default. */
const FRIGATE_SIZE = { width: 1280, height: 720 };

const schema = members({
  Id: guidOrNone,
  Name: given(nameText),
  IsEnabled: given(flag),
  Kind: given(siteValues.oneOf(["Vision", "Frigate"])),
  MinConfidence: given(analyserValues.analyserPercent),
  QuietSeconds: seconds,
  StartsRecording: given(flag),
  Vision: given(
    members({
      Url: given(analyserValues.analyserUrl),
      ApiKey: given(analyserValues.analyserKey),
      Authority: given(analyserValues.analyserAuthority),
      Objects: given(flag),
      Plates: given(flag),
      PlatesPath: given(siteValues.oneOf(PLATES_PATHS)),
      Faces: given(flag),
      FacesPath: given(siteValues.oneOf(FACES_PATHS)),
      AllChannels: given(flag),
      ChannelIds: given(guids(SITE_LIMITS.camerasMax, "channels")),
      OnMotion: given(flag),
      RepeatSeconds: seconds,
      IntervalSeconds: seconds,
      PerMinuteMax: perMinute,
      PerMinuteOfChannelMax: perMinute,
      TimeoutSeconds: given(analyserValues.analyserTimeout),
    }),
  ),
  Frigate: given(
    members({
      Prefix: given(analyserValues.frigatePrefix),
      Cameras: given(
        siteValues.list(
          members({
            Name: analyserValues.frigateName,
            ChannelId: guidText,
            Width: given(analyserValues.frigatePixels),
            Height: given(analyserValues.frigatePixels),
          }),
          SITE_LIMITS.camerasMax,
          "cameras",
        ),
      ),
    }),
  ),
  ClearSecrets: given(flag),
});

type AnalyserInput = v.InferOutput<typeof schema>;
type VisionInput = NonNullable<AnalyserInput["Vision"]>;

const SOME: JsonSchema = { type: "array", minItems: 1 };
/** What contradicts itself. */
const CHANNELS_RULE: JsonSchema = when(
  givenMember("Vision", givenMember("AllChannels", { const: true })),
  givenMember("Vision", { not: givenMember("ChannelIds", SOME) }),
);

const DESCRIPTION: CollectionDescription = {
  title: "Analyser",
  text: [
    "Analysers look at the pictures of cameras for the recorder, an addition of nvrd: servers with the vision API of DeepStack and CodeProject.AI, and Frigate by its events over [MQTT](mqtt.md). [Analysers](analysers.md) describes what is sent and what is made of the answers, and [`/api/analysers`](#get-apianalysers) reports how they do.",
  ],
  rules: [CHANNELS_RULE],
  rulesOfNew: [
    CHANNELS_RULE,
    givenMember("Kind", TEXT),
    when(
      givenMember("Kind", { const: "Vision" }),
      givenMember("Vision", {
        type: "object",
        required: ["Url"],
        properties: { Url: { type: "string" } },
      }),
    ),
  ],
  members: {
    Id: "Leave it out of POST.",
    Name: "Required in POST. Names must be unique, ignoring case.",
    IsEnabled: { default: true },
    Kind: "Required in POST; `Vision` together with `Vision.Url`. Another kind starts with its defaults.",
    MinConfidence: {
      description: "Percent. What the analyser is less sure of is ignored.",
      default: DEFAULTS.minConfidence,
    },
    QuietSeconds: {
      description:
        "For so long the same label, plate or name is not told again of a camera, and what stays where it was not for 10 minutes.",
      default: DEFAULTS.quietSeconds,
    },
    StartsRecording: {
      description:
        "What is found counts as motion of the camera for 15 s: a channel with the mode `MDandManual` is recorded.",
      default: false,
    },
    "Vision.Url":
      "`http` or `https`, without user, password and query. The paths of the API follow its path. `webhookPrivateTargets: forbid` allows hosts of the internet alone.",
    "Vision.ApiKey": "Sent as `api_key`. Null in answers.",
    "Vision.Authority":
      "Certificates (PEM) of the only authorities that are trusted for `https`. Empty: the usual ones.",
    "Vision.Objects": {
      description: "Asks `/v1/vision/detection` for persons, vehicles and other objects.",
      default: true,
    },
    "Vision.Plates": { description: "Asks `PlatesPath` for license plates.", default: false },
    "Vision.PlatesPath": { default: VISION_DEFAULTS.platesPath },
    "Vision.Faces": {
      description:
        "Asks `FacesPath` for faces, of cameras with `FaceDetectorEnabled` alone. [`/configex`](#get-configex) then says `IsFaceAnalystEnabled` of them.",
      default: false,
    },
    "Vision.FacesPath": {
      description: "`/v1/vision/face` finds faces without names.",
      default: VISION_DEFAULTS.facesPath,
    },
    "Vision.AllChannels": { description: "Pictures of all cameras.", default: true },
    "Vision.ChannelIds": "Only pictures of these cameras.",
    "Vision.OnMotion": { description: "A picture when motion begins.", default: true },
    "Vision.RepeatSeconds": {
      description: "While motion lasts, a picture each so many seconds. 0: one at its beginning alone.",
      default: VISION_DEFAULTS.repeatSeconds,
    },
    "Vision.IntervalSeconds": {
      description: "With or without motion, a picture each so many seconds. 0: none.",
      default: VISION_DEFAULTS.intervalSeconds,
    },
    "Vision.PerMinuteMax": {
      description: "Most pictures of all cameras in a minute.",
      default: VISION_DEFAULTS.perMinuteMax,
    },
    "Vision.PerMinuteOfChannelMax": {
      description: "Most pictures of one camera in a minute.",
      default: VISION_DEFAULTS.perMinuteOfCameraMax,
    },
    "Vision.TimeoutSeconds": {
      description: "An answer that takes longer is given up.",
      default: VISION_DEFAULTS.timeoutSeconds,
    },
    "Frigate.Prefix": { description: "Frigate's `topic_prefix`.", default: FRIGATE_DEFAULTS.prefix },
    "Frigate.Cameras": "Which of Frigate's cameras is which channel. Given, they replace all.",
    "Frigate.Cameras.Name": "As in Frigate's configuration.",
    "Frigate.Cameras.Width": {
      description: "Of Frigate's `detect`: boxes are pixels of that picture.",
      default: FRIGATE_SIZE.width,
    },
    "Frigate.Cameras.Height": { default: FRIGATE_SIZE.height },
    ClearSecrets: {
      description:
        "True removes `ApiKey`. If null, absent or empty in PUT, it is unchanged, which is refused where it would go to another scheme, host or port, or under another `Authority`.",
      writeOnly: true,
    },
  },
  examples: {
    getAll: ['curl -fu "$AUTH" "$NVRD/configure/analysers"'],
    getOne: ['curl -fu "$AUTH" "$NVRD/configure/analysers/$ANALYSER"'],
    post: [
      'ANALYSER=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/analysers" --data \'[{',
      '  "Name": "Workshop PC", "Kind": "Vision", "Vision": {',
      '    "Url": "http://192.168.1.20:32168", "Plates": true, "RepeatSeconds": 5 } }]\' | member CreatedObjectsIds)',
    ],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/analysers" --data \'[{',
      '  "Id": "\'$ANALYSER\'", "MinConfidence": 60 }]\'',
    ],
    remove: ['curl -fu "$AUTH" -X DELETE "$NVRD/configure/analysers/$ANALYSER"'],
  },
};

/** /configure/analysers. The key is write-only: null, absent and empty keep the present one. */
export const ANALYSER_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<Analyser, AnalyserInput, AnalyserInput>({
    noun: "analyser",
    path: "/configure/analysers",
    description: DESCRIPTION,
    countMax: SITE_LIMITS.analysersMax,
    schema,
    itemsOf: (site) => site.analysers,
    withItems: (site, items) => ({ ...site, analysers: items }),
    describe: describeAnalyser,
    prepare: async (input) => input,
    make: (input, base, identity, place) => ({
      ...identity,
      isEnabled: input.IsEnabled ?? base?.isEnabled ?? DEFAULTS.isEnabled,
      minConfidence: input.MinConfidence ?? base?.minConfidence ?? DEFAULTS.minConfidence,
      quietSeconds: input.QuietSeconds ?? base?.quietSeconds ?? DEFAULTS.quietSeconds,
      startsRecording: input.StartsRecording ?? base?.startsRecording ?? DEFAULTS.startsRecording,
      source: sourceOf(input, base?.source, place),
    }),
  }),
);

function describeAnalyser({ id, name, isEnabled, source, ...rest }: Analyser): unknown {
  return {
    Id: id,
    Name: name,
    IsEnabled: isEnabled,
    Kind: source.kind === "vision" ? "Vision" : "Frigate",
    MinConfidence: rest.minConfidence,
    QuietSeconds: rest.quietSeconds,
    StartsRecording: rest.startsRecording,
    Vision: source.kind === "vision" ? describeVision(source) : null,
    Frigate: source.kind === "frigate" ? describeFrigate(source) : null,
  };
}

function describeVision(source: VisionServer): unknown {
  return {
    Url: source.url,
    ApiKey: null,
    Authority: source.authority ?? "",
    Objects: source.objects,
    Plates: source.plates,
    PlatesPath: source.platesPath,
    Faces: source.faces,
    FacesPath: source.facesPath,
    AllChannels: source.channelIds === "all",
    ChannelIds: source.channelIds === "all" ? [] : source.channelIds,
    OnMotion: source.onMotion,
    RepeatSeconds: source.repeatSeconds,
    IntervalSeconds: source.intervalSeconds,
    PerMinuteMax: source.perMinuteMax,
    PerMinuteOfChannelMax: source.perMinuteOfCameraMax,
    TimeoutSeconds: source.timeoutSeconds,
  };
}

function describeFrigate({ prefix, cameras }: FrigateFeed): unknown {
  return {
    Prefix: prefix,
    Cameras: cameras.map(({ name, channelId, width, height }) => ({
      Name: name,
      ChannelId: channelId,
      Width: width,
      Height: height,
    })),
  };
}

/** The source changed by the input. Another kind starts with its defaults. */
function sourceOf(
  input: AnalyserInput,
  base: Analyser["source"] | undefined,
  place: InputPlace,
): Analyser["source"] {
  const kind = input.Kind ?? (base === undefined ? undefined : base.kind === "vision" ? "Vision" : "Frigate");
  if (kind === undefined) place.faults.add(`${place.path}.Kind`, "is required");
  return kind === "Frigate"
    ? frigateOf(input, base?.kind === "frigate" ? base : FRIGATE_DEFAULTS, place)
    : visionOf(input, base?.kind === "vision" ? base : undefined, place);
}

function visionOf(input: AnalyserInput, before: VisionServer | undefined, place: InputPlace): VisionServer {
  const own: VisionInput = input.Vision ?? {};
  const base = before ?? { ...VISION_DEFAULTS, url: "" };
  const url = own.Url ?? base.url;
  const authority = own.Authority ?? base.authority ?? "";
  if (url === "" && input.Kind) place.faults.add(`${place.path}.Vision.Url`, "is required");
  const open = {
    kind: "vision",
    url,
    apiKey: "",
    ...(authority === "" ? {} : { authority }),
    objects: own.Objects ?? base.objects,
    plates: own.Plates ?? base.plates,
    platesPath: own.PlatesPath ?? base.platesPath,
    faces: own.Faces ?? base.faces,
    facesPath: own.FacesPath ?? base.facesPath,
    channelIds: channelsOf(own, base.channelIds, place),
    onMotion: own.OnMotion ?? base.onMotion,
    repeatSeconds: own.RepeatSeconds ?? base.repeatSeconds,
    intervalSeconds: own.IntervalSeconds ?? base.intervalSeconds,
    perMinuteMax: own.PerMinuteMax ?? base.perMinuteMax,
    perMinuteOfCameraMax: own.PerMinuteOfChannelMax ?? base.perMinuteOfCameraMax,
    timeoutSeconds: own.TimeoutSeconds ?? base.timeoutSeconds,
  } satisfies VisionServer;
  const apiKey = secretAfter({
    given: input.ClearSecrets === true ? undefined : own.ApiKey,
    ...{ isCleared: input.ClearSecrets === true, stored: base.apiKey },
    ...{ from: SECRET_PLACES.analyser(base), to: SECRET_PLACES.analyser(open) },
    refuse: () => place.faults.add(`${place.path}.Vision.ApiKey`, ENTER_AGAIN.server),
  });
  return { ...open, apiKey };
}

function channelsOf(
  { AllChannels: all, ChannelIds }: VisionInput,
  before: VisionServer["channelIds"],
  place: InputPlace,
): VisionServer["channelIds"] {
  const ids = ChannelIds ?? undefined;
  if (ids !== undefined) checkChannels(ids, "Vision.ChannelIds", place);
  if (all === true) {
    if (ids !== undefined && ids.length > 0)
      place.faults.add(`${place.path}.Vision.ChannelIds`, "contradicts AllChannels: true");
    return "all";
  }
  if (all === false) return ids ?? (before === "all" ? [] : before);
  // GET returns an empty list with AllChannels: true, and programs send back what they received.
  if (ids === undefined || (ids.length === 0 && before === "all")) return before;
  return ids;
}

function frigateOf({ Frigate: own }: AnalyserInput, base: FrigateFeed, place: InputPlace): FrigateFeed {
  const cameras = own?.Cameras?.map(
    ({ Name, ChannelId, Width, Height }): FrigateCamera => ({
      name: Name,
      channelId: ChannelId,
      width: Width ?? FRIGATE_SIZE.width,
      height: Height ?? FRIGATE_SIZE.height,
    }),
  );
  if (cameras !== undefined) {
    const at = "Frigate.Cameras";
    checkChannels(
      cameras.map(({ channelId }) => channelId),
      at,
      place,
    );
    if (new Set(cameras.map(({ name }) => name)).size < cameras.length)
      place.faults.add(`${place.path}.${at}`, "one of Frigate's cameras is named twice", "CONFLICT");
  }
  return { kind: "frigate", prefix: own?.Prefix ?? base.prefix, cameras: cameras ?? base.cameras };
}
