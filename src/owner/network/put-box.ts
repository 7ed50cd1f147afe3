import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import { BOX_NAME, ZONE_NAME } from "../../box/network/index.js";
import { type NetworkBox, networkBox } from "../../contract/answer/index.js";
import {
  answerJson,
  given,
  givenMember,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { type NetworkNeeds, userOf } from "./network-input.js";

const NAME_TEXT = "accepted: letters, digits and -, at most 63, none of them - at an end";
const ZONE_TEXT = "accepted: a name such as Europe/Berlin";

const boxBody = members({
  Name: given(v.pipe(v.string(NAME_TEXT), v.regex(BOX_NAME, NAME_TEXT))),
  TimeZone: given(v.pipe(v.string(ZONE_TEXT), v.maxLength(64, ZONE_TEXT), v.regex(ZONE_NAME, ZONE_TEXT))),
});

export const BOX_ROUTE: Route<NetworkNeeds> = {
  method: "PUT",
  path: "/api/network/box",
  login: "administrator",

  describe: {
    topic: "network",
    summary: "Changes the name of the box on the network, and its time zone",
    text: [
      "Both take effect at once and last. The name is announced by mDNS as `NAME.local`. It is not the name that clients show: [`/configure/server`](#put-configureserver).",
    ],
    body: {
      required: true,
      schema: {
        ...withNotes(schemaOfBody(boxBody), {
          Name: "Left out: it stays.",
          TimeZone: "For schedules and logs. Left out: it stays.",
        }),
        anyOf: [givenMember("Name"), givenMember("TimeZone")],
      },
    },
    answer: jsonAnswer(schemaOf(networkBox), "As they are now."),
    errors: { 503: "The network keeper does not answer." },
    example: [
      "# Where nothing can set the network: 503.",
      'curl -fu "$AUTH" -X PUT "$NVRD/api/network/box" --data \'{ "Name": "depot", "TimeZone": "Europe/Berlin" }\'',
    ],
  },
  /** PUT /api/network/box: the machine's name and time zone. */
  async endpoint(context) {
    const { needs, request } = context;
    const { Name, TimeZone } = readBody(boxBody, request.body);
    if ((Name ?? TimeZone ?? null) === null)
      throw new NvrdError("BAD_REQUEST", "neither Name nor TimeZone is given", { hint: "" });
    await needs.network.setBox({ name: Name ?? null, timeZone: TimeZone ?? null }, userOf(context));
    const { name, timeZone } = await needs.network.view();
    return answerJson<NetworkBox>({ Name: name, TimeZone: timeZone });
  },
};
