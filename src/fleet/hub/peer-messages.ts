import * as v from "valibot";
import type { Guid } from "../../base/index.js";
import { GUID_PATTERN } from "../../contract/reading/index.js";
import type { BoxFigures } from "../link/link-messages.js";
import { boxFigures } from "./box-link.js";

/** What hubs that share their boxes say to each other: HTTP/2 over TLS 1.3, each with its certificate of the one authority. */

/** One line of JSON for each box that is connected there, then for each change. */
export const PRESENT_PATH = "/fleet/present";
/** Takes a token of a code, or gives it back. */
export const TOKEN_PATH = "/fleet/token";
/** What all hubs keep of a box was changed. */
export const CHANGED_PATH = "/fleet/changed";
/** A session has ended, or is another one: all that share it read it anew. */
export const SESSION_PATH = "/fleet/session";
/** Takes what is remembered of a login that was begun at another hub. */
export const TICKET_PATH = "/fleet/ticket";
/** Names the box that a request is for, and which of its connections. */
export const BOX_HEADER = "nvrd-box";
export const ROLE_HEADER = "nvrd-role";
/** The box's live socket is asked for as this hub's viewers share it; a hub of an older version passes the request on. */
export const SHARED_HEADER = "nvrd-shared";
/** No message is longer. */
export const PEER_MESSAGE_BYTES_MAX = 16_384;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const id = v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN)));

/** `Here`: what the box says of itself; null: it is connected there no more. */
export const presentLine = v.object({
  Box: id,
  Here: v.nullable(
    v.object({
      Name: text(128),
      Version: text(64),
      Health: text(500),
      Figures: v.fallback(v.optional(boxFigures), undefined),
      Revision: v.fallback(v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))), undefined),
    }),
  ),
});
type ReadBox = NonNullable<v.InferOutput<typeof presentLine>["Here"]>;

/** What a box says of itself at a hub that it is connected to. */
export interface PresentBox extends Readonly<Omit<ReadBox, "Figures">> {
  readonly Figures?: BoxFigures | undefined;
}

export interface PresentLine {
  readonly Box: Guid;
  readonly Here: PresentBox | null;
}

export const tokenRequest = v.object({ Token: text(64), GiveBack: v.boolean() });
export const tokenAnswer = v.object({ IsTaken: v.boolean() });
export const sessionRequest = v.object({ Session: text(64) });
export const ticketRequest = v.object({ Ticket: text(64) });
/** Null: there is none. */
export const ticketAnswer = v.object({ Kept: v.nullable(text(2048)) });
export const changedRequest = v.object({ Box: id });

/** Where a hub is, as each of them writes it where all can read it. */
export const hubEntry = v.object({
  Id: id,
  /** `host:port`, for other hubs. */
  Peer: text(262),
  /** `host:port`, as codes name it and boxes dial it. */
  Told: text(262),
  /** Until when it counts, Unix µs. */
  UntilUs: v.pipe(v.number(), v.finite()),
});
export type HubEntry = v.InferOutput<typeof hubEntry>;
