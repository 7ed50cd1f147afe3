import {
  formatIsoTime,
  NvrdError,
  parseGuid,
  US_PER_DAY,
  US_PER_MINUTE,
  US_PER_SECOND,
} from "../../base/index.js";
import type { CardPlayback, CardRecording } from "../../camera/index.js";
import { deviceArchiveQuery } from "../../contract/query/index.js";
import { shown } from "../../http/index.js";
import { FIRST_BOUNDARY, refusedViewing, visibleCameras } from "../../player/index.js";
import {
  answerJson,
  choice,
  describeQuery,
  type EndpointResult,
  FLAG,
  ISO_TIME,
  jsonAnswer,
  listOf,
  MULTIPART_HEADERS,
  meaning,
  NUMBER,
  named,
  objectOf,
  orNull,
  type RequestContext,
  type Route,
  readQuery,
  requireArchiveRight,
  STREAMED,
  TEXT,
  untilGone,
  VIEWING_RIGHTS,
  WHOLE,
} from "../../route/index.js";
import { archiveStreamType, type Camera, cameraOptions } from "../../site/index.js";
import type { ArchiveNeeds } from "./archive-parts.js";
import { DeviceArchiveVideo } from "./device-archive-video.js";

/* What a camera keeps on a card of its own (ONVIF Profile G); not in the reference. */

/** The longest time that is looked at, and that is played. */
const SPAN_US_MAX = 31 * US_PER_DAY;
const PLAYED_US_MAX = 10 * US_PER_MINUTE;
/** Most megabytes a second of a playback. */
const PLAYED_BYTES_PER_SECOND_MAX = 12_500_000;

const GAP_STATES = ["Waiting", "Filled", "GivenUp"] as const;
const STATE_OF = { waiting: "Waiting", filled: "Filled", "given-up": "GivenUp" } as const;

const SPAN = { FromTime: ISO_TIME, ToTime: ISO_TIME };
const CHANNEL = { id: "The channel's id." };
const ERRORS = {
  404: "There is no such channel.",
  409: "`DeviceArchiveEnabled` of the camera is off.",
  501: "The camera offers no recordings of its own.",
  503: "The camera does not answer, or refuses; the text says why.",
};

const PATH = "/api/channels/{id}/devicearchive";

export const DEVICE_ARCHIVE_ROUTES: readonly Route<ArchiveNeeds>[] = [
  {
    method: "GET",
    path: PATH,
    login: "user",
    startsWork: true,

    describe: {
      topic: "archive",
      summary: "Returns what an ONVIF camera keeps on its own card, and what became of gaps",
      access: "The channel must be allowed in the archive.",
      text: [
        "An addition of nvrd's. The camera is asked (Profile G: recording search). Times are the recorder's: the camera's, corrected by the offset of its clock, which is known to a second.",
        "",
        "With `DeviceArchiveAutoSynchronizationEnabled` gaps of the recording (camera lost, recorder stopped or without power) are filled from there; `Gaps` are those that were tried within the time. What was filled has fragments with `Origin` `Camera`.",
      ],
      pathValues: CHANNEL,
      parameters: describeQuery(deviceArchiveQuery),
      answer: jsonAnswer(
        named(
          "DeviceArchive",
          objectOf({
            IsFilling: meaning("Gaps of the channel are being filled now.", FLAG),
            ClockOffsetSeconds: meaning("The camera's clock minus the recorder's.", NUMBER),
            Recordings: listOf(
              objectOf({
                ...SPAN,
                HasSound: FLAG,
                Sections: meaning(
                  "Where it is contiguous, cut to the time; null if the camera does not say.",
                  orNull(listOf(objectOf(SPAN))),
                ),
              }),
            ),
            Gaps: listOf(
              objectOf({
                ...SPAN,
                State: choice(GAP_STATES),
                Tries: meaning("Tries that failed.", WHOLE),
                NextTime: meaning("When it is tried next.", orNull(ISO_TIME)),
                FilledSeconds: NUMBER,
                Reason: meaning("Why the last try failed.", orNull(TEXT)),
              }),
            ),
          }),
        ),
        "What the camera keeps.",
      ),
      errors: {
        ...ERRORS,
        409: `${ERRORS[409]} Or \`totime\` is not later than \`fromtime\`, or more than 31 days later.`,
      },
      example: [
        "# Where the camera has no card: 409.",
        'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/devicearchive?fromtime=$FROM&totime=$TO"',
      ],
    },
    /** GET /api/channels/{id}/devicearchive */
    async endpoint(context) {
      const { needs } = context;
      const camera = requireCamera(context);
      const span = readSpan(context, SPAN_US_MAX);
      const { offsetUs, recordings } = await needs.cards.contents(camera.id, span, untilGone(context));
      const { isFilling, gaps } = needs.gapFills.state(camera.id);
      return answerJson({
        IsFilling: isFilling,
        ClockOffsetSeconds: offsetUs / US_PER_SECOND,
        Recordings: recordings.map((recording) => ({
          ...spanObject(recording),
          HasSound: recording.hasSound,
          Sections: recording.sections?.map(spanObject) ?? null,
        })),
        Gaps: gaps
          .filter(({ fromUs, toUs }) => fromUs < span.toUs && toUs > span.fromUs)
          .map(({ state, tries, nextUs, filledUs, reason, ...gap }) => ({
            ...spanObject(gap),
            State: STATE_OF[state],
            Tries: tries,
            NextTime: state === "waiting" ? formatIsoTime(nextUs) : null,
            FilledSeconds: filledUs / US_PER_SECOND,
            Reason: reason === "" ? null : reason,
          })),
      });
    },
  },
  {
    method: "GET",
    path: `${PATH}/video`,
    login: "user",
    startsWork: true,
    rights: VIEWING_RIGHTS,

    describe: {
      topic: "archive",
      summary: "Plays a span from an ONVIF camera's own card, without fetching the rest",
      access: "The channel must be allowed in the archive.",
      text: [
        "An addition of nvrd's. Parts as those of [/video](#get-video), pictures only, as fast as camera and client allow; the answer ends with the span. `Timestamp` is the recorder's time. Nothing is recorded.",
        "",
        "At most four playbacks run at once, and one of each camera.",
      ],
      pathValues: CHANNEL,
      parameters: describeQuery(deviceArchiveQuery),
      answer: {
        text: "Parts, `multipart/x-mixed-replace; boundary=myboundary`.",
        content: { "multipart/x-mixed-replace": { type: "string", format: "binary" } },
      },
      errors: {
        ...ERRORS,
        404: "There is no such channel, or the camera keeps nothing of this time.",
        409: `${ERRORS[409]} Or \`totime\` is not later than \`fromtime\`, or more than 10 minutes later.`,
        429: "Another playback of this camera is running, or four of others.",
      },
      example: [
        "# Where the camera has no card: 409.",
        'curl -fsSN -u "$AUTH" "$NVRD/api/channels/$CHANNEL/devicearchive/video?fromtime=$FROM&totime=$TO" --output card.multipart',
      ],
    },
    /** GET /api/channels/{id}/devicearchive/video */
    async endpoint(context): Promise<EndpointResult> {
      const { needs, principal, response, credentials, log } = context;
      const { clock } = needs;
      const camera = requireCamera(context);
      const viewing = {
        of: { channelId: camera.id, streamType: archiveStreamType(camera) },
        ...{ sound: false, archived: true },
      };
      const refusal = refusedViewing(principal, viewing);
      if (refusal !== undefined) throw new NvrdError("FORBIDDEN", `${refusal} channel ${camera.name}`);
      const span = readSpan(context, PLAYED_US_MAX);
      const open = () => response.startStream(MULTIPART_HEADERS, { clock, log });
      const video = new DeviceArchiveVideo({ span, firstUnit: FIRST_BOUNDARY, open, clock, log });
      const leave = needs.cardPlaces.take(camera.id);
      try {
        const forget = needs.openStreams.add({
          credentials,
          viewer: { over: "video", source: "recorded" },
          mayContinue: (now) => {
            const present = needs.site.current.cameras.find(({ id }) => id === camera.id);
            const isOn = present !== undefined && cameraOptions(present).archive.deviceArchiveEnabled;
            return isOn && now.maySee(camera.id) && refusedViewing(now, viewing) === undefined;
          },
          end: () => video.stop(),
        });
        response.onClose(() => {
          forget();
          leave();
          video.stop();
        });
      } catch (error) {
        leave();
        throw error;
      }
      const gone = untilGone(context);
      const { offsetUs, recordings } = await needs.cards.contents(camera.id, span, gone);
      const playback = await firstPlayback(needs, { camera, span, offsetUs, recordings, signal: gone });
      await video.start(playback, offsetUs);
      if (!response.open) return STREAMED;
      throw new NvrdError("NOT_FOUND", "the camera keeps nothing of this time");
    },
  },
];

interface Asked {
  readonly camera: Camera;
  readonly span: { readonly fromUs: number; readonly toUs: number };
  readonly offsetUs: number;
  readonly recordings: readonly CardRecording[];
  readonly signal: AbortSignal;
}

/** Of several recordings of a time the first is played. Throws NvrdError NOT_FOUND without any. */
async function firstPlayback(
  { cards }: ArchiveNeeds,
  { camera, span, offsetUs, recordings, signal }: Asked,
): Promise<CardPlayback> {
  const [recording] = recordings.filter(({ sections }) => sections === undefined || sections.length > 0);
  if (recording === undefined) throw new NvrdError("NOT_FOUND", "the camera keeps nothing of this time");
  return await cards.play({
    ...{ channelId: camera.id, recording: recording.token, ...span, offsetUs, signal },
    bytesPerSecondMax: PLAYED_BYTES_PER_SECOND_MAX,
  });
}

/** Throws NvrdError NOT_FOUND, FORBIDDEN. */
function requireCamera({ needs, principal, pathValues }: RequestContext<ArchiveNeeds>): Camera {
  const text = pathValues.get("id") ?? "";
  const id = parseGuid(text);
  const camera = visibleCameras(needs.site.current, principal).find((one) => one.id === id);
  if (camera === undefined) throw new NvrdError("NOT_FOUND", `there is no channel ${shown(text)}`);
  requireArchiveRight(principal, camera);
  return camera;
}

/** Throws NvrdError BAD_REQUEST, BAD_TIME, or CONFLICT for a span that is none or too long. */
function readSpan({ request }: RequestContext<ArchiveNeeds>, longestUs: number): Asked["span"] {
  const { fromtime: fromUs, totime: toUs } = readQuery(request.query, deviceArchiveQuery);
  if (toUs <= fromUs) throw new NvrdError("CONFLICT", "totime must be later than fromtime", { hint: "" });
  if (toUs - fromUs > longestUs)
    throw new NvrdError(
      "CONFLICT",
      `totime is more than ${longestUs / US_PER_MINUTE} minutes later than fromtime`,
      { hint: "ask for parts" },
    );
  return { fromUs, toUs };
}

function spanObject({ fromUs, toUs }: Asked["span"]): Record<keyof typeof SPAN, string> {
  return { FromTime: formatIsoTime(fromUs), ToTime: formatIsoTime(toUs) };
}
