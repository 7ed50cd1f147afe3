import { maySeeFleet } from "../../access/index.js";
import type { Answer, ApiRequest } from "../../http/index.js";
import { type EndpointResult, type RequestContext, type Route, TEXT } from "../../route/index.js";
import { isPagePath, pageFile } from "../page/index.js";
import type { BoxTarget } from "./box-request.js";
import { noBox, requireHub, WHERE_NO_HUB } from "./boxes.js";
import type { FleetNeeds } from "./fleet-control.js";
import { withoutLogin } from "./without-login.js";

/** The path of a recorder's page, or below it, as sent. */
const BELOW = /^\/+boxes\/+([^/?]+)(\/[^?]*)?(\?.*)?$/i;

const PATH_VALUES = {
  id: "The recorder's id.",
  path: "Path and query at the recorder; it may have several parts.",
};
const ANSWER = { text: "The recorder's answer.", content: { "*/*": TEXT } } as const;
const ERRORS = {
  401: "Nobody is logged in at the hub; or the recorder does not believe the hub, which its log explains.",
  403: "The user may not do this, at the hub or at the recorder.",
  404: "This is no hub, it has no such recorder, or the recorder has no such path.",
  503: "The recorder is not connected, or does not answer.",
};

const SUMMARIES = {
  GET: "Asks a recorder of this hub",
  POST: "Sends something to a recorder of this hub",
  PUT: "Changes something at a recorder of this hub",
  DELETE: "Deletes something at a recorder of this hub",
} as const;

const BOX = { path: "/boxes/{id}/{path}", takesRest: true, login: "user", endpoint: passOn } as const;

export const BOX_ROUTES: readonly Route<FleetNeeds>[] = [
  {
    method: "GET",
    path: "/boxes/{id}",
    login: "user",
    nobody: toLogin,
    endpoint: passOn,
    describe: {
      topic: "fleet",
      summary: "Returns the page of a recorder of this hub",
      text: [
        "The page is the hub's own; what it asks is below this path. Who is not logged in at the hub is sent to the hub's page.",
      ],
      pathValues: { id: PATH_VALUES.id },
      answer: { text: "The page.", content: { "text/html": TEXT } },
      errors: ERRORS,
      example: [WHERE_NO_HUB, 'curl -fLu "$AUTH" "$NVRD/boxes/22222222-0000-4000-8000-00000000000c"'],
    },
  },
  ...(["GET", "POST", "PUT", "DELETE"] as const).map(
    (method): Route<FleetNeeds> => ({
      ...BOX,
      method,
      passesOn: (path) => path.replace(/^\/boxes\/[^/]+/, ""),
      describe: {
        topic: "fleet",
        summary: SUMMARIES[method],
        text: [
          "The request is sent on without cookies and logins; the recorder gets the user's name, and decides by the user's rights at the hub and by what its owner lets the hub do. WebSockets, such as [`/api/live`](#get-apilive), pass too. A body has at most 1 MiB.",
        ],
        pathValues: PATH_VALUES,
        answer: ANSWER,
        errors: ERRORS,
        example: [
          WHERE_NO_HUB,
          `curl -fu "$AUTH"${method === "GET" ? "" : ` -X ${method}`} "$NVRD/boxes/22222222-0000-4000-8000-00000000000c/api/channels"`,
        ],
      },
    }),
  ),
];

/** /boxes/{id}/…: the page of a recorder, and its API through the hub. */
async function passOn(context: RequestContext<FleetNeeds>): Promise<EndpointResult> {
  const { needs, request, principal, pathValues } = context;
  const boxes = requireHub(needs);
  const [, , path, query = ""] = BELOW.exec(request.content.target) ?? [];
  const boxId = pathValues.get("id") ?? "";
  if (!maySeeFleet(principal) || boxes.box(boxId) === undefined) throw noBox();
  if (path === undefined) return toSlash(boxId);
  if (request.method === "GET" && isPagePath(path.toLowerCase()) && !MANIFEST.test(path))
    return pageFile(context, /^\/+(?:index\.html)?$/i.test(path) ? "/" : path.toLowerCase());
  const target: BoxTarget = { boxId, path: `${path}${withoutLogin(query)}` };
  // What speaks HTTP/2 is loaded with the first request: most recorders are no hub.
  if (request.header("upgrade") === undefined)
    return await (await import("./box-request.js")).passRequest(context, target);
  return await (await import("./box-socket.js")).passSocket(context, target);
}

/** It has the recorder's name. */
const MANIFEST = /^\/+manifest\.webmanifest$/i;

/** The page's own addresses are relative to a path with a slash at its end. */
function toSlash(boxId: string): Answer {
  return moved(`${boxId}/`);
}

/** A browser that opens the page goes to the hub's, which asks for a login; programs get an error. */
function toLogin({ content }: ApiRequest): Answer | undefined {
  if (content.header("accept")?.includes("text/html") !== true) return undefined;
  return moved(/\/(?:\?|$)/.test(content.target) ? "../../" : "../");
}

function moved(location: string): Answer {
  return {
    status: 302,
    headers: [
      ["Location", location],
      ["Cache-Control", "no-store"],
    ],
    body: new Uint8Array(0),
  };
}
