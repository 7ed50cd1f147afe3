import type * as v from "valibot";
import type { Guid } from "../../base/index.js";
import {
  ANALYSERS_MAX,
  analyser,
  analyserTexts,
  changed,
  frigate,
  type ObjectOf,
  shown,
  shownWord,
  storedWord,
  vision,
  without,
} from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import {
  type CollectionDescription,
  checkChannels,
  collection,
  collectionRoutes,
  ENTER_AGAIN,
  givenMember,
  guidOrNone,
  type InputPlace,
  type JsonSchema,
  type Route,
  secretAfter,
  TEXT,
  when,
} from "../../route/index.js";
import { type Analyser, type FrigateFeed, SECRET_PLACES, type VisionServer } from "../../site/index.js";
import { channelsAfter } from "./channels-after.js";
import type { ConfigurationNeeds } from "./configuration-answers.js";

const schema = readerOf(analyser, { Id: guidOrNone });

type AnalyserInput = v.InferOutput<typeof schema>;
type VisionInput = NonNullable<AnalyserInput["Vision"]>;

/** What is kept in another way: no list of channels means all of them. */
const SERVER = without(vision, "AllChannels", "ChannelIds");
const REST = without(analyser, "Name", "Kind", "Vision", "Frigate", "ClearSecrets");

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
  members: { Id: "Leave it out of POST.", ...notesOf(analyser, analyserTexts) },
  examples: {
    id: "$ANALYSER",
    post: [
      'ANALYSER=$(curl -fsSu "$AUTH" -X POST "$NVRD/configure/analysers" --data \'[{',
      '  "Name": "Workshop PC", "Kind": "Vision", "Vision": {',
      '    "Url": "http://192.168.1.20:32168", "Plates": true, "RepeatSeconds": 5 } }]\' | member CreatedObjectsIds)',
    ],
    put: [
      'curl -fu "$AUTH" -X PUT "$NVRD/configure/analysers" --data \'[{',
      '  "Id": "\'$ANALYSER\'", "MinConfidence": 60 }]\'',
    ],
  },
};

/** /configure/analysers. The key is write-only: null, absent and empty keep the present one. */
export const ANALYSER_ROUTES: readonly Route<ConfigurationNeeds>[] = collectionRoutes(
  collection<Analyser, AnalyserInput, AnalyserInput>({
    noun: "analyser",
    path: "/configure/analysers",
    description: DESCRIPTION,
    countMax: ANALYSERS_MAX,
    schema,
    itemsOf: (site) => site.analysers,
    withItems: (site, items) => ({ ...site, analysers: items }),
    describe: describeAnalyser,
    prepare: async (input) => input,
    make: (input, base, identity, place) => ({
      ...identity,
      ...changed(REST, input, base),
      source: sourceOf(input, base?.source, place),
    }),
  }),
);

function describeAnalyser(item: Analyser): ObjectOf<typeof analyser> & { readonly Id: Guid } {
  const { id, name, source } = item;
  return {
    Id: id,
    Name: name,
    Kind: shownWord(analyser.Kind.of, source.kind),
    ...shown(REST, item),
    Vision: source.kind === "vision" ? describeVision(source) : null,
    Frigate: source.kind === "frigate" ? shown(frigate, source) : null,
  };
}

function describeVision(source: VisionServer): ObjectOf<typeof vision> {
  const { ApiKey, Authority, PerMinuteOfChannelMax, ...server } = shown(SERVER, source);
  return {
    ...server,
    ApiKey,
    Authority,
    AllChannels: source.channelIds === "all",
    ChannelIds: source.channelIds === "all" ? [] : source.channelIds,
    PerMinuteOfChannelMax,
  };
}

/** The source changed by the input. Another kind starts with its defaults. */
function sourceOf(
  input: AnalyserInput,
  base: Analyser["source"] | undefined,
  place: InputPlace,
): Analyser["source"] {
  const kind = input.Kind ? storedWord(input.Kind) : base?.kind;
  if (kind === undefined) place.faults.add(`${place.path}.Kind`, "is required");
  return kind === "frigate"
    ? frigateOf(input, base?.kind === "frigate" ? base : undefined, place)
    : visionOf(input, base?.kind === "vision" ? base : undefined, place);
}

function visionOf(input: AnalyserInput, base: VisionServer | undefined, place: InputPlace): VisionServer {
  const own: VisionInput = input.Vision ?? {};
  if ((own.Url ?? base?.url) === undefined && input.Kind)
    place.faults.add(`${place.path}.Vision.Url`, "is required");
  const open: VisionServer = {
    kind: "vision",
    ...changed(SERVER, own, { url: "", ...base }),
    apiKey: "",
    channelIds: channelsAfter(own, base?.channelIds ?? "all", place, "Vision.ChannelIds"),
  };
  const apiKey = secretAfter({
    given: input.ClearSecrets === true ? undefined : own.ApiKey,
    ...{ isCleared: input.ClearSecrets === true, stored: base?.apiKey ?? "" },
    ...{ from: base === undefined ? [] : SECRET_PLACES.analyser(base), to: SECRET_PLACES.analyser(open) },
    refuse: () => place.faults.add(`${place.path}.Vision.ApiKey`, ENTER_AGAIN.server),
  });
  return { ...open, apiKey };
}

function frigateOf(
  { Frigate: own }: AnalyserInput,
  base: FrigateFeed | undefined,
  place: InputPlace,
): FrigateFeed {
  const { cameras, prefix } = changed(frigate, own ?? {}, { cameras: [], ...base });
  if (own?.Cameras) {
    const at = "Frigate.Cameras";
    checkChannels(
      cameras.map(({ channelId }) => channelId),
      at,
      place,
    );
    if (new Set(cameras.map(({ name }) => name)).size < cameras.length)
      place.faults.add(`${place.path}.${at}`, "one of Frigate's cameras is named twice", "CONFLICT");
  }
  return { kind: "frigate", prefix, cameras };
}
