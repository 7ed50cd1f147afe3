import { NvrdError } from "../../base/index.js";
import { shown } from "../../http/index.js";
import {
  type EndpointResult,
  header,
  type NamedContext,
  type ParameterDescription,
  type Route,
  type RouteDescription,
  type StatusTexts,
  TEXT,
} from "../../route/index.js";
import { MANIFEST_ROUTE } from "./get-manifest.js";
import type { PageNeeds } from "./page-files.js";
import { isTrustworthy, OPENER_POLICY } from "./page-headers.js";
import { connecting, trialOrigins } from "./trial-origins.js";

const PARAMETERS: readonly ParameterDescription[] = [
  header("Accept-Encoding", TEXT, "Files are sent compressed where it has `br` or `gzip`."),
  header("If-None-Match", TEXT, "304 where it has the file's `ETag`."),
];
const ERRORS: StatusTexts = {
  304: "The client has it.",
  404: "There is no such file, or the page is off (setting `page`).",
  503: "The page is not built.",
};

const START_DESCRIPTION: RouteDescription = {
  topic: "page",
  summary: "Returns the page",
  text: ["It is asked for again each time (`ETag`); its other files are kept for ever."],
  parameters: PARAMETERS,
  answer: { text: "The page.", content: { "text/html": TEXT } },
  errors: ERRORS,
  example: ['curl -f --compressed "$NVRD/"'],
};

const PAGE = { method: "GET", login: "none", endpoint: getPage } as const;

export const PAGE_ROUTES: readonly Route<PageNeeds>[] = [
  { ...PAGE, path: "/", describe: START_DESCRIPTION },
  {
    ...PAGE,
    path: "/index.html",
    describe: {
      ...START_DESCRIPTION,
      summary: "Returns the page, as `/` does",
      example: ['curl -f --compressed "$NVRD/index.html"'],
    },
  },
  {
    ...PAGE,
    path: "/page/{file}",
    describe: {
      topic: "page",
      summary: "Returns a file of the page",
      text: ["Its name changes with its content."],
      pathValues: { file: "As the page names it." },
      parameters: PARAMETERS,
      answer: {
        text: "The file.",
        content: { "text/javascript": TEXT, "text/css": TEXT, "image/svg+xml": TEXT },
      },
      errors: ERRORS,
      example: [
        'FILE=$(curl -fsS "$NVRD/" | sed -n \'s/.*src="page\\/\\([^"]*\\)".*/\\1/p\')',
        'curl -f --compressed -o /dev/null "$NVRD/page/$FILE"',
      ],
    },
  },
  {
    ...PAGE,
    path: "/worker.js",
    describe: {
      topic: "page",
      summary: "Returns the page's service worker",
      text: ["It shows [messages](push.md) and answers no requests of the page."],
      parameters: PARAMETERS,
      answer: { text: "The script.", content: { "text/javascript": TEXT } },
      errors: ERRORS,
      example: ['curl -f --compressed "$NVRD/worker.js"'],
    },
  },
  {
    ...PAGE,
    path: "/icon.png",
    describe: {
      topic: "page",
      summary: "Returns the page's icon for home screens",
      parameters: PARAMETERS,
      answer: { text: "256 x 256 pixels.", content: { "image/png": { type: "string", format: "binary" } } },
      errors: ERRORS,
      example: ['curl -f -o /dev/null "$NVRD/icon.png"'],
    },
  },
  MANIFEST_ROUTE,
];

/** GET /, /index.html, /page/{file}, /worker.js and /icon.png: the files of the page. */
function getPage(context: NamedContext<PageNeeds>): EndpointResult {
  const { path } = context.request;
  return pageFile(context, path === "/index.html" ? "/" : path);
}

/** A file of the page. Throws NvrdError NOT_FOUND or NOT_AVAILABLE. */
export function pageFile({ needs, request }: NamedContext<PageNeeds>, path: string): EndpointResult {
  const { page } = needs;
  if (page === undefined)
    throw new NvrdError("NOT_FOUND", "the page is switched off", {
      hint: "the setting page switches it on; programs use the API",
    });
  if (!page.isThere)
    throw new NvrdError("NOT_AVAILABLE", "the page is not built", {
      hint: "in a checkout: npm run build; in a package: install it again. The API works without it",
    });
  const hosts = path === "/" ? needs.network.trialHosts() : [];
  const answer = page.answer(path, {
    acceptEncoding: request.header("accept-encoding"),
    // What a browser has kept may have other rights than now.
    ifNoneMatch: hosts.length > 0 ? undefined : request.header("if-none-match"),
  });
  if (answer !== undefined) {
    const isHeeded = isTrustworthy(request.header("host"), request.content.secure);
    const trusted = isHeeded ? { ...answer, headers: [...answer.headers, ...OPENER_POLICY] } : answer;
    return hosts.length > 0 ? connecting(trusted, trialOrigins(hosts, needs.reach)) : trusted;
  }
  throw new NvrdError("NOT_FOUND", `the page has no file ${shown(request.path)}`, {
    hint: "load the page again: it may be of another version",
  });
}
