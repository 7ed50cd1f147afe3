import { LANGUAGES } from "../../base/index.js";
import {
  choice,
  flag,
  group,
  id,
  listOf,
  meaning,
  nullable,
  text,
  time,
  type ValueOf,
} from "../kinds/kinds.js";
import { eventSelection } from "../resource/event-selection.js";

/** Messages to browsers (Web Push): `/api/push`. */

export const pushKey = group({
  PublicKey: meaning("`applicationServerKey` of the browser (RFC 8292), base64url.", text),
  CanSubscribe: meaning(
    "False for users of a directory: their rights cannot be asked for without their password.",
    flag,
  ),
});
export type PushKey = ValueOf<typeof pushKey>;

/** How a message went. */
export const pushResult = group({
  Time: time,
  IsTest: flag,
  IsSent: flag,
  IsReached: meaning("Whether the push service answered: without, the recorder has no way to it.", flag),
  Problem: nullable(text),
});
export type PushResultItem = ValueOf<typeof pushResult>;

/** A browser that gets messages. */
export const pushSubscription = group({
  Id: id,
  UserId: id,
  Login: text,
  Name: text,
  Language: choice(...LANGUAGES),
  Host: meaning("Of the push service. The rest of the address lets send, and is not shown.", text),
  IsOwn: flag,
  SinceTime: time,
  ...eventSelection,
  LastResult: meaning(
    "How the last message went. Null: none was sent since the start.",
    nullable(pushResult),
  ),
});
export type PushSubscriptionItem = ValueOf<typeof pushSubscription>;

export const pushSubscriptions = listOf(pushSubscription);
