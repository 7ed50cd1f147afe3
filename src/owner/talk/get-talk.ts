import { type Clock, errorText, type NvrdError as Failure, NvrdError, parseGuid } from "../../base/index.js";
import {
  type Announcements,
  aacFormat,
  type Speech,
  type SpeechEnd,
  type SpokenFormat,
  type Talk,
} from "../../camera/index.js";
import { talkQuery } from "../../contract/query/index.js";
import type { EventLog } from "../../event/index.js";
import { type Query, SocketClose, type SocketConnection, type SocketListener } from "../../http/index.js";
import {
  describeQuery,
  type EndpointResult,
  type OpenStreams,
  type Route,
  readParameter,
  STREAMED,
  TEXT,
} from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import {
  type AllowedSpeech,
  speakerOf,
  speakWhileAllowed,
  TALK_ERRORS,
  TALK_RIGHTS,
  talkCamera,
} from "./speaking.js";

/** What the routes of this topic work with. */
export interface TalkNeeds {
  readonly site: SiteStore;
  readonly talk: Talk;
  readonly announcements: Pick<Announcements, "list" | "get" | "add" | "remove" | "decode" | "play">;
  readonly events: Pick<EventLog, "raise">;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
}

/** The subprotocol: its number changes when older clients could not go on. */
export const TALK_PROTOCOL = "nvrd.talk.1";
/** The WebSocket's way to say that all was well (RFC 6455, 7.4.1). */
const NORMAL_CLOSE = 1000;
/** A reason of a close has at most 123 bytes. */
const REASON_BYTES_MAX = 120;

export const TALK_SOCKET_ROUTE: Route<TalkNeeds> = {
  method: "GET",
  path: "/api/channels/{id}/talk",
  login: "user",
  rights: TALK_RIGHTS,

  describe: {
    topic: "talk",
    summary: "Opens a WebSocket over which a user speaks to a camera with a loudspeaker",
    access: "The user must see the channel.",
    text: [
      `A WebSocket (RFC 6455) of the subprotocol \`${TALK_PROTOCOL}\`, for microphones. It is open when the camera listens.`,
      "",
      "- The client sends binary messages of G.711, 8 kHz, mono: 20 to 200 ms each, at most 16 KiB. With `law=aac` they are AAC-LC in ADTS, of `rate` and `channels`. Up to two seconds wait to be played; what comes on top pushes out the oldest.",
      '- The text `{"type":"finish"}` says that nothing more comes: what waits is played.',
      '- With `opens=atOnce` it is open before the camera listens, for browsers, which cannot see a refusal: the service sends `{"type":"listening"}` when the camera does, else `ended` with `code` and `text`. Sound that comes before is left out.',
      '- The service sends `{"type":"ended","seconds":2.4,"droppedSeconds":0}`, with `code` and `text` where the client did not end it, and closes.',
      "- A browser's `Origin` must be the address that the page came from, or one of `corsOrigins`; others get 403.",
      "- All else is as with [`POST`](#post-apichannelsidtalk).",
    ],
    pathValues: { id: "The channel's id." },
    parameters: describeQuery(talkQuery),
    answer: {
      status: 101,
      text: "The connection is a WebSocket, and the camera listens.",
      content: { "application/octet-stream": TEXT },
    },
    errors: {
      ...TALK_ERRORS,
      400: `The request asks for no WebSocket, or not for the subprotocol \`${TALK_PROTOCOL}\`.`,
      403: "The user may not speak, or the page's origin is not welcome.",
    },
    example: [
      "# Where the camera has no loudspeaker: 409.",
      `curl -fsSN -u "$AUTH" -H "Connection: Upgrade" -H "Upgrade: websocket" -H "Sec-WebSocket-Version: 13" -H "Sec-WebSocket-Key: $(head -c 16 /dev/urandom | base64)" -H "Sec-WebSocket-Protocol: ${TALK_PROTOCOL}" --max-time 5 -D - "$NVRD/api/channels/$CHANNEL/talk"`,
    ],
  },
  /** GET /api/channels/{id}/talk: makes the connection a speaker's socket, once the camera listens. */
  async endpoint(context): Promise<EndpointResult> {
    const { needs, request, response, principal, credentials, pathValues } = context;
    const format = formatOf(request.query);
    const isAtOnce = readParameter(request.query, talkQuery, "opens") === "atOnce";
    response.requireSocket(TALK_PROTOCOL);
    const text = pathValues.get("id") ?? "";
    const { id: channelId } = talkCamera(needs.site, principal, text, parseGuid(text));
    const gone = new AbortController();
    response.onClose(() => gone.abort());
    const by = speakerOf(principal);
    const begin = (): Promise<AllowedSpeech> =>
      speakWhileAllowed(needs.openStreams, {
        ...{ credentials, channelId, signal: gone.signal },
        begin: (signal) => needs.talk.speak({ channelId, format, by, signal }),
      });
    const client = new TalkClient();
    const open = () => response.startSocket(TALK_PROTOCOL, { listener: client, clock: needs.clock });
    if (isAtOnce) {
      const connection = open();
      if (connection !== undefined) void client.ask(connection, begin);
      return STREAMED;
    }
    const allowed = await begin();
    let connection: SocketConnection | undefined;
    try {
      connection = open();
    } finally {
      if (connection === undefined) {
        allowed.forget();
        allowed.speech.end(undefined);
      }
    }
    if (connection !== undefined) void client.follow(connection, allowed);
    return STREAMED;
  },
};

function formatOf(query: Query): SpokenFormat {
  const law = readParameter(query, talkQuery, "law");
  if (law !== "aac") return { kind: "g711", law };
  const rate = readParameter(query, talkQuery, "rate");
  return { kind: "aac", ...aacFormat(rate, readParameter(query, talkQuery, "channels")) };
}

/** One speaker over a WebSocket. */
class TalkClient implements SocketListener {
  #speech: Speech | undefined;

  /** Asks the camera, and notifies the client when it listens, or why it does not. Never rejects. */
  async ask(connection: SocketConnection, begin: () => Promise<AllowedSpeech>): Promise<void> {
    try {
      const allowed = await begin();
      connection.send('{"type":"listening"}');
      await this.follow(connection, allowed);
    } catch (error) {
      const reason = error instanceof NvrdError ? error : new NvrdError("INTERNAL", errorText(error));
      this.#close(connection, { seconds: 0, droppedSeconds: 0, reason });
    }
  }

  /** Reports to the client how the speech ended, and closes. */
  async follow(connection: SocketConnection, { speech, forget }: AllowedSpeech): Promise<void> {
    this.#speech = speech;
    connection.onClose(forget);
    this.#close(connection, await speech.ended);
  }

  #close(connection: SocketConnection, { seconds, droppedSeconds, reason }: SpeechEnd): void {
    const why = reason === undefined ? {} : { code: reason.code, text: sentence(reason) };
    connection.send(JSON.stringify({ type: "ended", seconds, droppedSeconds, ...why }));
    const words = Buffer.from(reason?.message ?? "").subarray(0, REASON_BYTES_MAX);
    const code = reason === undefined ? NORMAL_CLOSE : SocketClose.policy;
    connection.close(code, words.toString("latin1").replace(/[^\x20-\x7e]/g, "?"));
  }

  onBytes(sound: Uint8Array): void {
    this.#speech?.push(sound);
  }

  onMessage(text: string | undefined): void {
    if (text !== undefined && /^\s*\{\s*"type"\s*:\s*"finish"\s*\}\s*$/.test(text)) this.#speech?.finish();
    else
      this.#speech?.end(
        new NvrdError("BAD_REQUEST", "the message is not understood", { hint: "send sound" }),
      );
  }

  onDrain(): void {
    // Next to nothing is sent.
  }

  onPong(): void {
    // The library looks after idle connections.
  }

  onClose(): void {
    this.#speech?.end(undefined);
  }
}

function sentence({ message, hint }: Failure): string {
  return hint === "" ? message : `${message}: ${hint}`;
}
