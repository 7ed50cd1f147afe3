import { NvrdError, parseGuid } from "../../base/index.js";
import { type Speech, type SpeechEnd, speakAll } from "../../camera/index.js";
import { answerJson, GUID, jsonAnswer, meaning, NUMBER, objectOf, type Route } from "../../route/index.js";
import { readAacFormat } from "./aac-body.js";
import type { TalkNeeds } from "./get-talk.js";
import { contentLaw, isAac, isSoundFile, SOUND_TYPES } from "./sound-types.js";
import { speakerOf, speakWhileAllowed, TALK_ERRORS, TALK_RIGHTS, talkCamera } from "./speaking.js";

export const TALK_ROUTE: Route<TalkNeeds> = {
  method: "POST",
  path: "/api/channels/{id}/talk",
  login: "user",
  rights: TALK_RIGHTS,
  streamsBody: true,

  describe: {
    topic: "talk",
    summary: "Speaks to a camera with a loudspeaker, while the body comes",
    access: "The user must see the channel.",
    text: [
      "The body is sound, and is played as it comes: in real time, also where it comes faster (then reading waits), with silence where it comes late. The answer comes when all of it was played. The connection to the camera (ONVIF's back channel) is opened for this and closed after it; one that is lost meanwhile is opened again.",
      "",
      "- `Content-Type` says what it is: `audio/basic` or `audio/PCMU` (G.711 µ-law, 8 kHz, mono), `audio/PCMA` (A-law); `audio/aac` (ADTS, one access unit a frame); or a file, `audio/wav` (PCM, float or G.711, any usual rate), at most 120 s and 24 MB, which is received whole before it is played.",
      "- The camera gets G.711, or AAC where it takes only that. AAC is passed on as it is to a camera that takes AAC of the same rate and channels, and is converted for others. `SoundVolume` of the camera sets the loudspeaker's level where ONVIF can, else what is sent is made softer.",
      "- One user speaks to a camera at a time. It ends after 10 s without sound, after 600 s, and as soon as the user may no longer speak.",
      "- Who spoke, and for how long, is in the [events](events.md) `talkStarted` and `talkEnded`.",
    ],
    pathValues: { id: "The channel's id." },
    body: {
      required: true,
      mediaType: "audio/basic",
      text: `Sound of the type that \`Content-Type\` names: ${SOUND_TYPES.join(", ")}.`,
      schema: { type: "string", format: "binary", minLength: 1 },
    },
    answer: jsonAnswer(
      objectOf({ ChannelId: GUID, Seconds: meaning("Sound that was sent to the camera.", NUMBER) }),
      "All of it was played.",
      { ChannelId: "22222222-0000-4000-8000-000000000001", Seconds: 2.4 },
    ),
    errors: {
      ...TALK_ERRORS,
      400: "The type is not known, the file is damaged, there is no sound, or none came for 10 s.",
      413: "The speech lasts longer than 600 s, or the file is longer than 120 s or larger than 24 MB.",
    },
    example: [
      "# Where the camera has no loudspeaker: 409.",
      'curl -fu "$AUTH" "$NVRD/api/channels/$CHANNEL/talk" -H "Content-Type: audio/basic" --data-binary @speech.ul',
    ],
  },
  /** POST /api/channels/{id}/talk */
  async endpoint(context) {
    const { needs, request, response, principal, credentials, pathValues } = context;
    const { bodyStream } = request;
    if (bodyStream === undefined) throw new NvrdError("INTERNAL", "the body was not received as a stream");
    const text = pathValues.get("id") ?? "";
    const { id: channelId } = talkCamera(needs.site, principal, text, parseGuid(text));
    const type = request.header("content-type");
    const { format, body } = isAac(type)
      ? await readAacFormat(bodyStream)
      : { format: { kind: "g711", law: contentLaw(type) } as const, body: bodyStream };
    const file = isSoundFile(type) ? await needs.announcements.decode(bodyStream) : undefined;
    const gone = new AbortController();
    response.onClose(() => gone.abort());
    const by = speakerOf(principal);
    const { speech, forget } = await speakWhileAllowed(needs.openStreams, {
      ...{ credentials, channelId, signal: gone.signal },
      begin: (signal) => needs.talk.speak({ channelId, format, by, signal }),
    });
    try {
      const { seconds } = await (file === undefined ? stream(speech, body) : playFile(speech, file));
      if (seconds === 0) throw new NvrdError("BAD_REQUEST", "the body has no sound", { hint: "" });
      return answerJson({ ChannelId: channelId, Seconds: seconds });
    } finally {
      forget();
      speech.end(undefined);
    }
  },
};

async function playFile(speech: Speech, sound: Buffer): Promise<SpeechEnd> {
  await speakAll(speech, sound);
  return endOf(await speech.ended);
}

/** Passes on what comes until nothing more does, or the speech is ended: that does not wait for the sender. */
async function stream(speech: Speech, body: AsyncIterable<Uint8Array>): Promise<SpeechEnd> {
  const pieces = body[Symbol.asyncIterator]();
  for (;;) {
    const next = pieces.next();
    // The sender goes: the speech ends with the request.
    next.catch(() => undefined);
    const piece = await Promise.race([next, speech.ended]);
    if ("seconds" in piece) return endOf(piece);
    if (piece.done === true) break;
    await speech.write(piece.value);
  }
  speech.finish();
  return endOf(await speech.ended);
}

function endOf(end: SpeechEnd): SpeechEnd {
  if (end.reason !== undefined) throw end.reason;
  return end;
}
