import { network } from "../../contract/answer/index.js";
import { answerJson, jsonAnswer, type Route, schemaOf } from "../../route/index.js";
import type { NetworkNeeds } from "./network-input.js";
import { describeNetwork } from "./network-object.js";

export const NETWORK_ROUTE: Route<NetworkNeeds> = {
  method: "GET",
  path: "/api/network",
  login: "administrator",

  describe: {
    topic: "network",
    summary: "Shows the network interfaces of the box, its name, and a trial that is running",
    text: [
      "Interfaces are shown as they are, whoever configures them. nvrd changes only those of systemd-networkd: where NetworkManager, ifupdown or netplan configures one, `CanChange` is false and `Reason` says what to do.",
    ],
    answer: jsonAnswer(schemaOf(network), "The network."),
    example: ['curl -fu "$AUTH" "$NVRD/api/network"'],
  },
  /** GET /api/network: the network as it is. */
  async endpoint({ needs }) {
    return answerJson(describeNetwork(await needs.network.view(), needs.clock.nowUs()));
  },
};
