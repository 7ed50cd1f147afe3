import { type Guid, NvrdError, parseGuid } from "../../base/index.js";
import type { Announcement } from "../../camera/index.js";
import { announcementQuery } from "../../contract/query/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  describeQuery,
  GUID,
  jsonAnswer,
  listOf,
  meaning,
  NUMBER,
  named,
  objectOf,
  type RequestContext,
  type Route,
  readParameter,
  TEXT,
} from "../../route/index.js";
import type { TalkNeeds } from "./get-talk.js";
import { TALK_RIGHTS } from "./speaking.js";

const NO_ANNOUNCEMENT = { 404: "There is no such announcement." };
const PATH_VALUES = { id: "The announcement's id." };

const ANNOUNCEMENT = named(
  "Announcement",
  objectOf({ Id: GUID, Name: TEXT, Seconds: meaning("How long it is.", NUMBER) }),
);
const EXAMPLE = { Id: "22222222-0000-4000-8000-0000000000a1", Name: "Closing time", Seconds: 4.5 };

export const ANNOUNCEMENT_ROUTES: readonly Route<TalkNeeds>[] = [
  {
    method: "GET",
    path: "/api/announcements",
    login: "user",
    rights: TALK_RIGHTS,

    describe: {
      topic: "talk",
      summary: "Lists the announcements that are kept",
      text: [
        "They are played by [a task](#post-apitasks) of the kind `Announce`, and by actions of [scenarios](#get-configureuserscenarios).",
      ],
      answer: jsonAnswer(listOf(ANNOUNCEMENT), "The announcements.", [EXAMPLE]),
      example: ['curl -fu "$AUTH" "$NVRD/api/announcements"'],
    },
    /** GET /api/announcements */
    endpoint({ needs }) {
      return answerJson(needs.announcements.list().map(describe));
    },
  },
  {
    method: "POST",
    path: "/api/announcements",
    login: "administrator",
    streamsBody: true,

    describe: {
      topic: "talk",
      summary: "Keeps a sound file as an announcement",
      text: [
        "A WAV file (PCM of 8 to 32 bits, float, G.711; up to 8 channels, 4 to 192 kHz) or AAC in ADTS, at most 120 s and 24 MB. It is decoded once and kept as G.711. Up to 32 are kept, in the data directory.",
      ],
      parameters: describeQuery(announcementQuery),
      body: {
        required: true,
        mediaType: "audio/wav",
        text: "The file.",
        schema: { type: "string", format: "binary", minLength: 1 },
      },
      answer: jsonAnswer(ANNOUNCEMENT, "It is kept.", EXAMPLE),
      errors: {
        400: "The file is damaged, or neither WAV nor AAC; or it has no name.",
        409: "32 announcements are kept already.",
        413: "The file is longer than 120 s or larger than 24 MB.",
        429: "Too many files are being decoded.",
        501: "It is AAC, and the codec is not there.",
      },
      example: [
        'ANNOUNCEMENT=$(curl -fsSu "$AUTH" "$NVRD/api/announcements?name=Closing%20time" -H "Content-Type: audio/wav" --data-binary @announcement.wav | member Id)',
      ],
    },
    /** POST /api/announcements */
    async endpoint(context) {
      const { needs, request } = context;
      const { bodyStream } = request;
      if (bodyStream === undefined) throw new NvrdError("INTERNAL", "the body was not received as a stream");
      const name = readParameter(request.query, announcementQuery, "name");
      const added = await needs.announcements.add(name, bodyStream);
      report(context, "announcementAdded", added.name);
      return answerJson(describe(added));
    },
  },
  {
    method: "DELETE",
    path: "/api/announcements/{id}",
    login: "administrator",

    describe: {
      topic: "talk",
      summary: "Deletes an announcement",
      text: ["Where it is being played, it is played to its end."],
      pathValues: PATH_VALUES,
      answer: jsonAnswer(objectOf({ Id: GUID }), "It is deleted."),
      errors: { ...NO_ANNOUNCEMENT, 409: "A scenario plays it." },
      example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/announcements/$ANNOUNCEMENT"'],
    },
    /** DELETE /api/announcements/{id} */
    async endpoint(context) {
      const { needs, pathValues } = context;
      const id = parseGuid(pathValues.get("id") ?? "");
      if (id === undefined) throw new NvrdError("NOT_FOUND", "there is no such announcement", { hint: "" });
      const { name } = needs.announcements.get(id);
      await needs.announcements.remove(id, () => requireUnused(needs, id));
      report(context, "announcementRemoved", name);
      return answerJson({ Id: id });
    },
  },
];

/** In its turn among the changes of the configuration, so that none that names it is under way. Rejects with NvrdError IN_USE. */
async function requireUnused({ site }: TalkNeeds, id: Guid): Promise<void> {
  await site.change((current) => {
    const user = current.userScenarios.find(({ actions = [] }) =>
      actions.some((action) => action.kind === "announcement" && action.announcementId === id),
    );
    if (user !== undefined)
      throw new NvrdError("IN_USE", `the scenario ${user.name} plays this announcement`);
    return current;
  });
}

/** Who did it, and the announcement's name. */
function report(
  { needs, principal: { user } }: RequestContext<TalkNeeds>,
  act: "announcementAdded" | "announcementRemoved",
  name: string,
): void {
  needs.events.raise({
    typeId: EVENT_TYPES[act].id,
    comment: name,
    initiator: { type: 1, id: user.id, name: user.name },
  });
}

function describe({ id, name, seconds }: Announcement): Record<string, unknown> {
  return { Id: id, Name: name, Seconds: seconds };
}
