import { NvrdError } from "../../base/index.js";
import { type NetworkTrialBegun, networkTrialBegun } from "../../contract/answer/index.js";
import {
  answerJson,
  givenMember,
  type JsonSchema,
  jsonAnswer,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
  when,
  withNotes,
} from "../../route/index.js";
import { type NetworkNeeds, planOf, settingsBody, userOf } from "./network-input.js";
import { describeTrial } from "./network-object.js";

const ACCEPTED = 202;

/** What is said of a member with a method and addresses: `Fixed` alone has them. */
function withAddress(description: string): JsonSchema {
  const none: JsonSchema = { type: "null" };
  const isFixed: JsonSchema = { properties: { Method: { const: "Fixed" } } };
  const others: JsonSchema = { properties: { Address: none, Gateway: none } };
  return { description, ...when(isFixed, givenMember("Address"), others) };
}

export const NETWORK_CHANGE_ROUTE: Route<NetworkNeeds> = {
  method: "PUT",
  path: "/api/network",
  login: "administrator",

  describe: {
    topic: "network",
    summary: "Changes the settings of an interface on trial, for 90 seconds",
    text: [
      "The change takes effect four seconds after the answer. It lasts only if it is [confirmed](#post-apinetworkconfirm) within 90 seconds, by a request that comes over the new address. Otherwise everything becomes as it was: also when nvrd ends, or the box is switched off meanwhile.",
      "",
      "Members that are left out stay as they were confirmed last. Refused beforehand are addresses that another machine on the network has (found by ARP probes and by neighbour discovery), gateways that do not answer, and networks that another port of the box is in. One trial runs at a time.",
      "",
      "`Dns` and `Ntp` replace the servers of the DHCP server when they are not empty; they are used by systemd-resolved and systemd-timesyncd. IPv6 always keeps its link-local address.",
    ],
    body: {
      required: true,
      schema: withNotes(schemaOfBody(settingsBody), {
        Interface: "As in `GET /api/network`.",
        IPv4: withAddress(
          "`Dhcp`, `Fixed` with `Address` (`192.168.1.20/24`) and perhaps `Gateway`, or `Off`.",
        ),
        IPv6: withAddress("`Automatic` (router announcements and DHCPv6), `Fixed`, or `LinkLocal`."),
        "Vlans.IPv4": withAddress("As that of the port."),
        "Vlans.IPv6": withAddress("As that of the port."),
        Vlans: "Tagged networks on this port, each with addresses of its own. The kernel must have VLANs.",
      }),
    },
    answer: {
      ...jsonAnswer(schemaOf(networkTrialBegun), "The trial has begun."),
      status: ACCEPTED,
    },
    errors: {
      404: "There is no such interface.",
      409: "Another trial is running, another program configures the interface, no cable is plugged in, another machine has the address, the gateway does not answer, or the trial was ended before it was answered.",
      501: "The kernel has no VLANs.",
      503: "The network keeper does not answer: it comes with the Debian package and the image.",
    },
    example: [
      "# Where nothing can set the network: 503.",
      'curl -fu "$AUTH" -X PUT "$NVRD/api/network" --data \'{ "Interface": "eth0",',
      '  "IPv4": { "Method": "Fixed", "Address": "192.168.1.20/24", "Gateway": "192.168.1.1" } }\'',
    ],
  },
  /** PUT /api/network: a change on trial. */
  async endpoint(context) {
    const { needs, request } = context;
    const body = readBody(settingsBody, request.body);
    const { interfaces } = await needs.network.view();
    const plan = planOf(
      body,
      interfaces.find(({ name }) => name === body.Interface),
    );
    const token = await needs.network.begin(plan, userOf(context));
    const Trial = describeTrial(await needs.network.view(), needs.clock.nowUs());
    if (Trial === null)
      throw new NvrdError("CONFLICT", "the trial was ended before it was answered", {
        hint: "GET /api/network returns what holds now; change it again where it is still wanted",
      });
    return { ...answerJson<NetworkTrialBegun>({ Trial, Token: token }), status: ACCEPTED };
  },
};
