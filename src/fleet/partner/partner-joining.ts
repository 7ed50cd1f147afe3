import { request as requestHttp } from "node:http";
import * as v from "valibot";
import { type Clock, errorText, NvrdError, setTimeLimit } from "../../base/index.js";
import { type PartnerPlace, PlaceError, reachPartner } from "./partner-connection.js";
import {
  JOIN_PATH,
  type JoinAnswer,
  type JoinRefusal,
  type JoinRequest,
  joinAnswer,
  MESSAGE_BYTES_MAX,
  refusal,
} from "./partner-messages.js";
import { bodyOf, jsonOf } from "./partner-port.js";

const JOIN_MS_MAX = 20_000;

/** Becomes a partner of the box that a code leads to. Rejects with NvrdError in an installer's words. */
export async function joinPartner(place: PartnerPlace, said: JoinRequest, clock: Clock): Promise<JoinAnswer> {
  const { status, body } = await exchange(place, said, clock);
  if (status === 200) {
    const read = v.safeParse(joinAnswer, body);
    if (read.success) return read.output;
  }
  const read = v.safeParse(refusal, body);
  throw refused(read.success ? read.output.Reason : "fault");
}

async function exchange(
  place: PartnerPlace,
  said: JoinRequest,
  clock: Clock,
): Promise<{ status: number; body: unknown }> {
  const socket = await reached(place, clock);
  const text = JSON.stringify(said);
  const call = requestHttp({
    ...{ path: JOIN_PATH, method: "POST", createConnection: () => socket },
    headers: {
      host: "partner",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    },
  });
  const limit = setTimeLimit(clock, () => call.destroy(new Error("no answer")), JOIN_MS_MAX);
  try {
    return await new Promise((resolve, reject) => {
      call.on("error", reject);
      call.on("response", (response) => {
        bodyOf(response, MESSAGE_BYTES_MAX).then(
          (body) =>
            resolve({
              status: response.statusCode ?? 0,
              body: body === undefined ? undefined : jsonOf(body),
            }),
          reject,
        );
      });
      call.end(text);
    });
  } catch (error) {
    throw new NvrdError("NOT_AVAILABLE", `the other recorder does not answer: ${errorText(error)}`, {
      hint: "try it again",
      cause: error,
    });
  } finally {
    limit.clear();
    socket.destroy();
  }
}

async function reached(place: PartnerPlace, clock: Clock) {
  try {
    return (await reachPartner(place, clock, "http/1.1")).socket;
  } catch (error) {
    if (!(error instanceof PlaceError)) throw error;
    const isForeign = error.problem === "foreign";
    throw new NvrdError(isForeign ? "FORBIDDEN" : "NOT_AVAILABLE", error.message, {
      hint: isForeign
        ? "compare the address in the code with the other recorder's; another machine may have it now"
        : "look at the address in the code, and whether this port of the other recorder can be reached from here",
      cause: error,
    });
  }
}

function refused(reason: JoinRefusal): NvrdError {
  const [code, message, hint] = REFUSALS[reason];
  return new NvrdError(code, message, { hint });
}

const REFUSALS: Readonly<
  Record<JoinRefusal, readonly ["FORBIDDEN" | "CONFLICT" | "NOT_AVAILABLE", string, string]>
> = {
  token: [
    "FORBIDDEN",
    "the other recorder does not take this code: it was used, or is older than 15 minutes",
    "have it make another one",
  ],
  known: [
    "CONFLICT",
    "the other recorder has this one as its partner already",
    "remove it in the other recorder's list first, then paste a new code",
  ],
  full: ["CONFLICT", "the other recorder takes no more partners", ""],
  self: [
    "CONFLICT",
    "both recorders have the same id: one is a copy of the other",
    "set one of them up anew",
  ],
  request: ["NOT_AVAILABLE", "the other recorder cannot read the request", "bring both to the same version"],
  fault: ["NOT_AVAILABLE", "the other recorder could not do it", "try it again; its log says why"],
};
