import { READING_RESULTS, SCAN_SECONDS_DEFAULT, SCAN_SECONDS_MAX } from "../../camera/index.js";
import {
  CHANGE_PARAMETERS,
  choice,
  FLAG,
  GUID,
  jsonAnswer,
  listOf,
  meaning,
  NUMBER,
  objectOf,
  orNull,
  query,
  type RouteDescription,
  schemaOfBody,
  TEXT,
  withNotes,
} from "../route/index.js";
import { additionSchema } from "./configure-discovery-add.js";
import { ADDITION_RESULTS } from "./device-addition.js";

/** Finding and adding devices. */

const PROFILE = objectOf({ Name: TEXT, VideoFormat: TEXT, Width: NUMBER, Height: NUMBER });

export const DISCOVERY_DESCRIPTION: RouteDescription = {
  topic: "discovery",
  summary: "Lists the ONVIF devices on the networks of the recorder",
  text: [
    "The answer comes when the scan ends. A scan of the same interface and address that already runs is shared. What was found stays known for a day.",
  ],
  parameters: [
    query("interface", TEXT, "Asks over this interface only: its name, or one of its addresses."),
    query(
      "address",
      TEXT,
      "Asks these hosts one by one, at most 1024: `192.168.1.10`, `192.168.1.10:8000`, `192.168.1.10-40`, `192.168.1.0/24`.",
    ),
    query(
      "timeout",
      { type: "number", minimum: 0, maximum: SCAN_SECONDS_MAX },
      `Seconds. When left out: ${SCAN_SECONDS_DEFAULT}, and more for a range. 0 answers at once what was heard before.`,
    ),
  ],
  answer: jsonAnswer(
    listOf(
      objectOf({
        Name: TEXT,
        Manufacturer: TEXT,
        Model: TEXT,
        Address: meaning("What to give as `Hostname`.", TEXT),
        Identity: meaning("The endpoint reference; empty when it is not known.", TEXT),
        Interface: TEXT,
        Location: TEXT,
        IsIdentityShared: meaning("Another address claims the same identity.", FLAG),
        Profiles: meaning("Those that it shows without a login.", listOf(PROFILE)),
        AlreadyAdded: FLAG,
        ChannelIds: listOf(GUID),
        ModelId: meaning("The model it would get.", GUID),
      }),
    ),
    "The devices, by address.",
  ),
  errors: { 404: "There is no such interface.", 503: "Too many other scans run." },
  example: [
    'curl -u "$AUTH" "$NVR/configure/discovery?timeout=0"',
    'curl -u "$AUTH" "$NVR/configure/discovery?address=127.0.0.1&timeout=1"',
  ],
};

const RESULTS = [...ADDITION_RESULTS, ...READING_RESULTS.filter((result) => result !== "Readable")];

export const DISCOVERY_ADD_DESCRIPTION: RouteDescription = {
  topic: "discovery",
  summary: "Reads devices with their logins and adds those that can be recorded",
  text: [
    "The devices are added as one revision. The answer comes within a minute. A device that fails keeps no other from being added; a fault of the body changes nothing.",
  ],
  parameters: CHANGE_PARAMETERS,
  body: {
    required: true,
    text: "Each device has `Address` or `Identity`. What stands beside `Devices` holds for all of them.",
    schema: withNotes(schemaOfBody(additionSchema), {
      "Devices.Address": "As `GET /configure/discovery` has it.",
      "Devices.Identity": "As `GET /configure/discovery` has it.",
      "Devices.Login": "When left out: that of the request.",
      "Devices.Password": "When left out: that of the request.",
      "Devices.ChannelNumbers": "Video sources, counted from 1. When left out: all.",
      ParentSecObjectId: "The folder for the channels. When left out: the root.",
    }),
  },
  answer: {
    ...jsonAnswer(
      listOf(
        objectOf({
          Address: TEXT,
          Identity: TEXT,
          Name: TEXT,
          Result: meaning("[The results](../guide/cameras.md#add).", choice(RESULTS)),
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
  errors: { 409: "The configuration has another revision.", 503: "Another such request runs." },
  example: [
    'curl -u "$AUTH" "$NVR/configure/discovery/add" --data \'{',
    '  "Devices": [{ "Address": "192.168.7.10", "Name": "Door" }, { "Address": "192.168.7.11" }],',
    '  "Login": "admin", "Password": "the cameras password"',
    "}'",
  ],
};
