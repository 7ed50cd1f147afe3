import * as v from "valibot";
import { LANGUAGES, NvrdError } from "../../base/index.js";
import { ZONE_NAME } from "../../box/network/index.js";
import { type Setup, setup } from "../../contract/answer/index.js";
import {
  answerJson,
  editConfiguration,
  given,
  jsonAnswer,
  members,
  nameText,
  type RequestContext,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { giveOwnPassword, newPassword, requireStrong } from "../session/index.js";
import { SETUP_STATE_EXAMPLE, type SetupNeeds, setupState, stageOf } from "./setup-state.js";

const ZONE_LENGTH_MAX = 64;
const ZONE_TEXT = "accepted: a time zone, such as Europe/Berlin";

const setupBody = members({
  Password: given(newPassword),
  ServerName: given(nameText),
  Language: given(v.picklist(LANGUAGES, `accepted: ${LANGUAGES.join(" or ")}`)),
  TimeZone: given(
    v.pipe(
      v.string(ZONE_TEXT),
      v.maxLength(ZONE_LENGTH_MAX, ZONE_TEXT),
      v.regex(ZONE_NAME, ZONE_TEXT),
      v.check(isZone, "accepted: a time zone that the recorder knows, such as Europe/Berlin"),
    ),
  ),
  IsFinished: given(v.boolean("accepted: true or false")),
});
type SetupInput = v.InferOutput<typeof setupBody>;

export const SET_UP_ROUTE: Route<SetupNeeds> = {
  method: "POST",
  path: "/api/setup",
  login: "administrator",
  withFirstPassword: true,

  describe: {
    topic: "setup",
    summary: "Chooses root's password, name, language and time zone of the recorder, and ends the first run",
    access: "While `Stage` is `Password`: root alone.",
    text: [
      "Members that are left out stay as they are. While `Stage` is `Password`, `Password` is required, and nothing is changed without it. Programs that still send the generated password are rejected from then on, and other sessions of root end. Later another password is chosen by [`POST /api/session/password`](#post-apisessionpassword), which asks for the present one.",
    ],
    body: {
      required: true,
      schema: withNotes(schemaOfBody(setupBody), {
        Password: "In place of the generated one; its score is at least `PasswordScoreMin`.",
        TimeZone:
          "IANA name, of those that the recorder knows. Where `CanChooseTimeZone` is false, it is the machine's own or left out.",
        IsFinished: "True: the page does not open the first run by itself any more. False: it does again.",
      }),
    },
    answer: jsonAnswer(schemaOf(setup), "The state as it is now.", SETUP_STATE_EXAMPLE),
    errors: {
      403: "The password is not root's generated one, and `Password` was sent.",
      409: "The user was changed meanwhile: repeat.",
      501: "The time zone is the machine's (setting `timeZoneChoice`).",
    },
    example: ['curl -fu "$AUTH" "$NVRD/api/setup" --data \'{"ServerName": "Warehouse", "Language": "en"}\''],
  },
  /** POST /api/setup: what an owner chooses at the first run. */
  async endpoint(context) {
    const { needs, request } = context;
    const body = readBody(setupBody, request.body);
    const isFirst = stageOf(needs) === "Password";
    await requireAcceptable(context, body, isFirst);
    const name = body.ServerName ?? undefined;
    if (name !== undefined && name !== needs.site.current.server.name)
      await editConfiguration(context, (site) => ({ ...site, server: { ...site.server, name } }));
    await needs.firstRun.choose({
      language: body.Language ?? undefined,
      timeZone: zoneToChoose(needs, body),
      ...(isFirst ? { isGoing: true } : body.IsFinished == null ? {} : { isGoing: !body.IsFinished }),
    });
    // Last: until then, all of it can be repeated with the password that one has.
    if (isFirst && body.Password != null) {
      await giveOwnPassword(context, body.Password);
      context.log.info(
        { user: context.principal.user.name },
        "the generated password was replaced at the first run",
      );
    }
    return answerJson<Setup>(setupState(needs));
  },
};

/** Everything is checked before anything changes. */
async function requireAcceptable(
  context: RequestContext<SetupNeeds>,
  body: SetupInput,
  isFirst: boolean,
): Promise<void> {
  const { needs, principal } = context;
  if (isFirst && !needs.mustChangePassword(principal.user))
    throw new NvrdError("FORBIDDEN", "the first run is for root", { hint: "log in as root" });
  if (!isFirst && body.Password != null)
    throw new NvrdError("FORBIDDEN", "root has a password of its own already", {
      hint: "change it by POST /api/session/password",
    });
  if (isFirst && body.Password == null)
    throw new NvrdError("BAD_REQUEST", "Password: is required", {
      hint: "root still has the generated password: choose another one",
    });
  if (zoneToChoose(needs, body) !== undefined && !needs.firstRun.canChooseTimeZone)
    throw new NvrdError("NOT_SUPPORTED", "the time zone is the machine's", {
      hint: "set it there, for example by timedatectl set-timezone, and restart the service",
    });
  if (body.Password != null)
    await requireStrong(context, body.Password, {
      member: "Password",
      serverName: body.ServerName ?? undefined,
    });
}

function zoneToChoose({ firstRun }: SetupNeeds, { TimeZone }: SetupInput): string | undefined {
  return TimeZone == null || TimeZone === firstRun.timeZone ? undefined : TimeZone;
}

function isZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
