import { manifestQuery } from "../../contract/query/index.js";
import type { Answer } from "../../http/index.js";
import { describeQuery, type Route, readParameter } from "../../route/index.js";
import type { PageNeeds } from "./page-files.js";

/** What the page is called for who is not logged in: names are not public. */
const NAME = "nvrd";
const SHORT_NAME_LENGTH_MAX = 12;
/** Of the icon's ground; what is shown while the page is being opened. */
const COLOUR = "#12303b";

export const MANIFEST_ROUTE: Route<PageNeeds> = {
  method: "GET",
  path: "/manifest.webmanifest",
  login: "user",
  evenForbidden: true,
  withFirstPassword: true,

  nobody: ({ query: asked }) =>
    readParameter(asked, manifestQuery, "anonymous") ? manifest(NAME) : undefined,
  describe: {
    topic: "page",
    summary: "Returns the page's manifest, with which browsers install it",
    text: ["With the name of the recorder."],
    parameters: describeQuery(manifestQuery),
    answer: { text: "The manifest.", content: { "application/manifest+json": { type: "object" } } },
    example: [
      'curl -f "$NVRD/manifest.webmanifest?anonymous=true"',
      'curl -fu "$AUTH" "$NVRD/manifest.webmanifest"',
    ],
  },
  /** GET /manifest.webmanifest: how browsers install the page. */
  endpoint({ needs, request }) {
    // Refused where it is neither true nor false, whoever asks.
    readParameter(request.query, manifestQuery, "anonymous");
    return manifest(needs.site.current.server.name);
  },
};

function manifest(name: string): Answer {
  const content = {
    name,
    short_name: name.length <= SHORT_NAME_LENGTH_MAX ? name : NAME,
    // Below the place of this file, which a proxy may have moved.
    id: "./",
    start_url: "./",
    scope: "./",
    display: "standalone",
    background_color: COLOUR,
    theme_color: COLOUR,
    icons: [
      { src: "icon.png", sizes: "256x256", type: "image/png", purpose: "any" },
      { src: "icon.png", sizes: "256x256", type: "image/png", purpose: "maskable" },
    ],
  };
  return {
    status: 200,
    headers: [
      ["Content-Type", "application/manifest+json"],
      ["Cache-Control", "no-cache"],
    ],
    body: Buffer.from(JSON.stringify(content)),
  };
}
