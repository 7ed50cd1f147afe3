import * as v from "valibot";
import { NvrdError } from "../../base/index.js";
import {
  type NetworkTrialConfirmed,
  type NetworkTrialEnded,
  networkTrialConfirmed,
  networkTrialEnded,
} from "../../contract/answer/index.js";
import { type Answer, answerError, corsHeaders, localAddressesOf } from "../../http/index.js";
import {
  answerJson,
  jsonAnswer,
  members,
  type Route,
  readBody,
  schemaOf,
  schemaOfBody,
} from "../../route/index.js";
import { type NetworkNeeds, userOf } from "./network-input.js";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const confirmBody = members({
  Token: v.pipe(
    v.string("accepted: the token of PUT /api/network"),
    v.regex(TOKEN, "accepted: the token of PUT /api/network"),
  ),
});

export const NETWORK_TRIAL_ROUTES: readonly Route<NetworkNeeds>[] = [
  {
    method: "POST",
    path: "/api/network/confirm",
    login: "none",
    // The page of the old address sends it to the new one; the token is the proof.
    isForAllPages: true,

    describe: {
      topic: "network",
      summary: "Confirms a trial: the new settings last",
      access:
        "For whoever has the token, which `PUT /api/network` has given to an administrator. Credentials are not read.",
      text: [
        "The request must come over an address that the trial is about, as `Addresses` of the trial lists them: only that shows that the box can be reached there. Pages of any origin may send it, because the page of the old address asks at the new one.",
      ],
      body: { required: true, schema: schemaOfBody(confirmBody) },
      answer: jsonAnswer(schemaOf(networkTrialConfirmed), "The settings last."),
      errors: {
        409: "The request came over another address, or the trial is over.",
        503: "The network keeper does not answer.",
      },
      example: [
        "# At the new address of the box, with the token of the change. Where none is on trial: 409.",
        'curl -f "$NVRD/api/network/confirm" --data \'{ "Token": "kT3vX8m2nQ0JrK5sLw7Zb1cDfGhIjKlMnOpQrStUvWx" }\'',
      ],
    },
    /** POST /api/network/confirm: whoever has the token has reached the box at its new address. */
    async endpoint({ needs, request }) {
      const { network, reach, corsOrigins } = needs;
      const isWelcome = corsHeaders(corsOrigins, request).some(
        ([name]) => name === "Access-Control-Allow-Origin",
      );
      const readable = (answer: Answer): Answer =>
        isWelcome
          ? answer
          : { ...answer, headers: [...answer.headers, ["Access-Control-Allow-Origin", "*"] as const] };
      try {
        const { Token } = readBody(confirmBody, request.body);
        const local = localAddressesOf(request.address, [reach.httpPort, reach.httpsPort]);
        await network.confirm(Token, local, askedHost(request.header("host")));
        return readable(answerJson<NetworkTrialConfirmed>({ IsConfirmed: true }));
      } catch (error) {
        // Read by the page of the old address, which shows what is wrong.
        if (error instanceof NvrdError) return readable(answerError(error, request.path));
        throw error;
      }
    },
  },
  {
    method: "DELETE",
    path: "/api/network/trial",
    login: "administrator",

    describe: {
      topic: "network",
      summary: "Ends a trial: everything becomes as it was before",
      text: [],
      answer: jsonAnswer(schemaOf(networkTrialEnded), "The former settings apply again."),
      errors: { 404: "No trial is running.", 503: "The network keeper does not answer." },
      example: [
        "# Where nothing can set the network: 503.",
        'curl -fu "$AUTH" -X DELETE "$NVRD/api/network/trial"',
      ],
    },
    /** DELETE /api/network/trial: back now. */
    async endpoint(context) {
      await context.needs.network.end(userOf(context));
      return answerJson<NetworkTrialEnded>({ IsEnded: true });
    },
  },
];

/** `192.168.1.20` of `192.168.1.20:8080`; without the brackets of IPv6. */
function askedHost(host: string | undefined): string | undefined {
  return /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/
    .exec(host ?? "")
    ?.slice(1)
    .find((part) => part !== undefined);
}
