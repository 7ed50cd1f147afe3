import * as v from "valibot";
import { errorOfLine, jsonOfLine, NvrdError } from "../../base/index.js";
import { checkedPlan, networkPlan } from "./network-plan.js";

/**
 * The protocol of the service and the network keeper over a unix socket: one line of JSON each way, in UTF-8, then the
 * connection ends. It is answered with `{ "done": true }`, or `{ "error": { "code": "…", "message": "…", "hint": "…" } }`.
 */
const KEEPER_VERSION = 1;
/** Longest line either way. */
export const KEEPER_LINE_BYTES_MAX = 16_384;

/** The SHA-256 of the trial's token: the keeper needs to recognize it, nobody needs to read it. */
export const TRIAL_ID = /^[0-9a-f]{64}$/;
/** A host name (RFC 1123), as mDNS announces it. */
export const BOX_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
/** A name of the time zone database. */
export const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,3}$/;
const ZONE_LENGTH_MAX = 64;

const version = v.literal(KEEPER_VERSION);
const id = v.pipe(v.string(), v.regex(TRIAL_ID));
const order = v.variant("action", [
  v.strictObject({ version, action: v.literal("try"), id, plan: networkPlan }),
  v.strictObject({ version, action: v.literal("confirm"), id }),
  v.strictObject({ version, action: v.literal("end") }),
  v.strictObject({
    version,
    action: v.literal("announce"),
    port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)),
    isSecure: v.boolean(),
  }),
  v.strictObject({
    version,
    action: v.literal("box"),
    name: v.nullable(v.pipe(v.string(), v.regex(BOX_NAME))),
    timeZone: v.nullable(v.pipe(v.string(), v.maxLength(ZONE_LENGTH_MAX), v.regex(ZONE_NAME))),
  }),
]);
type VersionedOrder = v.InferOutput<typeof order>;
type Unversioned<Order> = Order extends unknown ? Omit<Order, "version"> : never;
export type KeeperOrder = Unversioned<VersionedOrder>;

const answer = v.union([
  v.object({ done: v.literal(true) }),
  v.object({
    error: v.object({ code: v.string(), message: v.string(), hint: v.optional(v.string(), "") }),
  }),
]);

/** Parses an order. Throws NvrdError BAD_REQUEST, also for a plan that cannot be. */
export function readOrder(line: string): KeeperOrder {
  const result = v.safeParse(order, jsonOfLine(line));
  if (!result.success)
    throw new NvrdError("BAD_REQUEST", "not a valid order for this version of the network keeper", {
      hint: "service and network keeper must have the same version",
    });
  const { version: _, ...rest } = result.output;
  return rest.action === "try" ? { ...rest, plan: checkedPlan(rest.plan) } : rest;
}

export function orderLine(given: KeeperOrder): string {
  return JSON.stringify({ version: KEEPER_VERSION, ...given });
}

/** Parses the keeper's answer. Throws the keeper's NvrdError, or INTERNAL if the answer is invalid. */
export function requireDone(line: string): void {
  const result = v.safeParse(answer, jsonOfLine(line));
  if (!result.success) throw new NvrdError("INTERNAL", "the answer of the network keeper is invalid");
  if ("error" in result.output) throw errorOfLine(result.output.error);
}

export const DONE_LINE = `${JSON.stringify({ done: true })}\n`;
