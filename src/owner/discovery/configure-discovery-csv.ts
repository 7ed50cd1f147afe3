import * as v from "valibot";
import { camerasOf } from "../../camera/index.js";
import { type CameraTable, type CsvFaultObject, cameraTable } from "../../contract/answer/index.js";
import {
  answerJson,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { CSV_LENGTH_MAX, CSV_ROWS_MAX, type CsvFault, cameraRows } from "./camera-csv.js";
import type { DiscoveryNeeds } from "./configure-discovery.js";
import { deviceLogin, devicePassword } from "./device-input.js";

const csvBody = members({
  Csv: v.pipe(
    v.string("accepted: a text"),
    v.maxLength(CSV_LENGTH_MAX, `accepted: at most ${CSV_LENGTH_MAX} characters`),
  ),
  Login: deviceLogin,
  Password: devicePassword,
});

export const DISCOVERY_CSV_ROUTE: Route<DiscoveryNeeds> = {
  method: "POST",
  path: "/configure/discovery/csv",
  login: "administration",

  describe: {
    topic: "discovery",
    summary: "Reads a table of cameras, and says what is wrong with each line",
    text: [
      `An addition of nvrd's. Nothing is asked and nothing is added: that does a [task](#post-apitasks) \`AddCameras\` with the same \`Csv\`. The first line names the columns, in any order: \`address\`, and as you like \`name\`, \`login\`, \`password\`, \`channels\` (numbers with blanks in between). Values are separated by commas, semicolons or tabs, and may stand in quotation marks. At most ${CSV_ROWS_MAX} cameras.`,
    ],
    body: {
      required: true,
      schema: withNotes(schemaOfBody(csvBody), {
        Csv: "The table, UTF-8.",
        Login: "For lines without login and password.",
      }),
    },
    answer: jsonAnswer(schemaOf(cameraTable), "The lines."),
    example: [
      'curl -fu "$AUTH" "$NVRD/configure/discovery/csv" --data \'{ "Csv": "address,name\\n192.168.7.10,Door\\n192.168.7.11,Yard" }\'',
    ],
  },
  /** POST /configure/discovery/csv: what a table of cameras holds; passwords are not repeated. */
  endpoint({ needs, request }) {
    const { Csv, Login, Password } = readBody(csvBody, request.body);
    const { rows, faults } = cameraRows(Csv, { login: Login ?? "", password: Password ?? "" });
    const { cameras } = needs.site.current;
    return answerJson<CameraTable>({
      Faults: faults.map(faultItem),
      Cameras: rows.map(({ line, request: { address, name = "", login, password }, faults: wrong }) => ({
        ...{ Line: line, Address: address, Name: name, Login: login, HasPassword: password !== "" },
        AlreadyAdded: camerasOf({ identity: "", hostname: address, twins: [] }, cameras, false).length > 0,
        Faults: wrong.map(faultItem),
      })),
    });
  },
};

function faultItem({ line, code, fault }: CsvFault): CsvFaultObject {
  return { Line: line, Code: code, Fault: fault };
}
