import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import { type ClientMessage, liveOrders, watchId } from "../../contract/answer/index.js";
import { readerOfMessages, readerOfValue } from "../../contract/reading/index.js";

const MESSAGE = readerOfMessages(liveOrders);
const WITH_ID = v.object({ id: readerOfValue(watchId) });

/** Reads a message. Throws NvrdError BAD_REQUEST that names what is wrong with it. */
export function readClientMessage(text: string | undefined): ClientMessage {
  if (text === undefined) throw new NvrdError("BAD_REQUEST", "a binary message: only text is understood");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NvrdError("BAD_REQUEST", "the message is not JSON", {
      cause,
      hint: "send one object of docs/ref/live-socket.md",
    });
  }
  const result = v.safeParse(MESSAGE, value, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue) ?? "the message";
  throw new NvrdError("BAD_REQUEST", `${path}: ${issue.message}`, {
    hint: "see docs/ref/live-socket.md for the messages and their members",
  });
}

/** The number of the subscription that a message is about, where it can be read, for the error. */
export function idOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const result = v.safeParse(WITH_ID, JSON.parse(text));
    return result.success ? result.output.id : undefined;
  } catch {
    // Not JSON: the error says so.
    return undefined;
  }
}
