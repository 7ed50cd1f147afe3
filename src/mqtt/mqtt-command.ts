import { NvrdError } from "../base/index.js";

/** Longest command; a value is a word or a channel's id. */
export const COMMAND_BYTES_MAX = 512;
const VALUE_LENGTH_MAX = 36;
const ID_LENGTH_MAX = 64;

/** A command as it came. */
export interface MqttCommand {
  /** `ON`, `OFF`, a preset's number. */
  readonly value: string;
  /** What the sender wants to find in the answer; null: nothing. */
  readonly id: string | null;
  /** The person has confirmed it, where that is needed. */
  readonly isConfirmed: boolean;
}

/** A payload is the value alone, or an object with `Value` and perhaps `Id` and `Confirmed`. Throws NvrdError BAD_REQUEST. */
export function readCommand(payload: Uint8Array): MqttCommand {
  if (payload.length > COMMAND_BYTES_MAX)
    throw new NvrdError("BAD_REQUEST", `a command has at most ${COMMAND_BYTES_MAX} bytes`, { hint: "" });
  const text = Buffer.from(payload).toString("utf8").trim();
  const { Value: value, Id: id, Confirmed } = text.startsWith("{") ? objectOf(text) : { Value: text };
  const shownValue = typeof value === "number" ? String(value) : value;
  if (typeof shownValue !== "string" || shownValue.length > VALUE_LENGTH_MAX || hasControls(shownValue))
    throw new NvrdError("BAD_REQUEST", "a command's Value is a short text", { hint: "" });
  if (
    id !== undefined &&
    id !== null &&
    (typeof id !== "string" || id.length > ID_LENGTH_MAX || hasControls(id))
  )
    throw new NvrdError("BAD_REQUEST", `a command's Id is a text of at most ${ID_LENGTH_MAX} characters`, {
      hint: "",
    });
  return { value: shownValue, id: id ?? null, isConfirmed: Confirmed === true };
}

function objectOf(text: string): {
  readonly Value?: unknown;
  readonly Id?: unknown;
  readonly Confirmed?: unknown;
} {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Refused below, as any other text that is no object.
  }
  throw new NvrdError("BAD_REQUEST", "a command is its value, or a JSON object with Value and Id", {
    hint: "",
  });
}

function hasControls(text: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(text);
}
