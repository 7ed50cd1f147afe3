import type { Answer } from "../../http/index.js";
import type { Route, RouteDescription } from "../route/index.js";
import type { PageNeeds } from "./needs.js";

/** What the page is called for who is not logged in: names are not told to everybody. */
const NAME = "nvrd";
const SHORT_NAME_LENGTH_MAX = 12;
/** Of the icon's ground; what is shown while the page is being opened. */
const COLOUR = "#12303b";

const DESCRIPTION: RouteDescription = {
  topic: "page",
  summary: "Returns the page's manifest, with which browsers install it",
  text: ["With the name of the recorder for who is logged in, and `nvrd` for everybody else."],
  answer: { text: "The manifest.", content: { "application/manifest+json": { type: "object" } } },
  example: ['curl -f "$NVR/manifest.webmanifest"', 'curl -fu "$AUTH" "$NVR/manifest.webmanifest"'],
};

export const MANIFEST_ROUTE: Route<PageNeeds> = {
  method: "GET",
  path: "/manifest.webmanifest",
  login: "user",
  evenForbidden: true,
  withFirstPassword: true,
  endpoint: ({ needs }) => manifest(needs.site.current.server.name),
  nobody: () => manifest(NAME),
  describe: DESCRIPTION,
};

function manifest(name: string): Answer {
  const content = {
    name,
    short_name: name.length <= SHORT_NAME_LENGTH_MAX ? name : NAME,
    id: "/",
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: COLOUR,
    theme_color: COLOUR,
    icons: [
      { src: "/icon.png", sizes: "256x256", type: "image/png", purpose: "any" },
      { src: "/icon.png", sizes: "256x256", type: "image/png", purpose: "maskable" },
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
