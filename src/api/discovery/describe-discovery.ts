import { READING_RESULTS, SCAN_SECONDS_DEFAULT, SCAN_SECONDS_MAX } from "../../camera/index.js";
import {
  CHANGE_PARAMETERS,
  choice,
  FLAG,
  GUID,
  jsonAnswer,
  listOf,
  NUMBER,
  objectOf,
  orNull,
  query,
  type RouteDescription,
  schemaOfBody,
  TEXT,
} from "../route/index.js";
import { additionSchema } from "./configure-discovery-add.js";
import { ADDITION_RESULTS } from "./device-addition.js";

/** Finding and adding devices, as /openapi.json describes it. */

const PROFILE = objectOf({ Name: TEXT, VideoFormat: TEXT, Width: NUMBER, Height: NUMBER });

export const DISCOVERY_DESCRIPTION: RouteDescription = {
  summary: "The ONVIF devices on the networks of the recorder",
  text: "Answers when the scan ends. A scan of the same interface and address that runs already is shared.",
  parameters: [
    query("interface", TEXT, "Ask over this interface only: its name, or one of its addresses."),
    query(
      "address",
      TEXT,
      "Ask these hosts one by one: an address, a range (192.168.1.10-40) or a network (192.168.1.0/24).",
    ),
    query(
      "timeout",
      { type: "number", minimum: 0, maximum: SCAN_SECONDS_MAX },
      `Seconds, ${SCAN_SECONDS_DEFAULT} when absent and more for a range; 0 answers what was heard before.`,
    ),
  ],
  answer: jsonAnswer(
    listOf(
      objectOf({
        Name: TEXT,
        Manufacturer: TEXT,
        Model: TEXT,
        Address: TEXT,
        Identity: TEXT,
        Interface: TEXT,
        Location: TEXT,
        IsIdentityShared: FLAG,
        Profiles: listOf(PROFILE),
        AlreadyAdded: FLAG,
        ChannelIds: listOf(GUID),
        ModelId: GUID,
      }),
    ),
    "The devices, by address.",
  ),
  errors: [404],
};

const RESULTS = [...ADDITION_RESULTS, ...READING_RESULTS.filter((result) => result !== "Readable")];

export const DISCOVERY_ADD_DESCRIPTION: RouteDescription = {
  summary: "Reads devices with their logins and adds those that can be recorded",
  parameters: CHANGE_PARAMETERS,
  body: {
    required: true,
    text: "Each device by Address or Identity; Login and Password of the request hold where it has none.",
    schema: schemaOfBody(additionSchema),
  },
  answer: {
    ...jsonAnswer(
      listOf(
        objectOf({
          Address: TEXT,
          Identity: TEXT,
          Name: TEXT,
          Result: choice(RESULTS),
          Reason: TEXT,
          Warnings: listOf(TEXT),
          ModelId: orNull(GUID),
          ChannelIds: listOf(GUID),
        }),
      ),
      "What became of each device, in the order sent.",
    ),
    revision: true,
  },
  errors: [409],
};
