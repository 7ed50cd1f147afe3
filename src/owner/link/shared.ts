import { errorText, NvrdError } from "../../base/index.js";
import { answerSizedFile, pump } from "../../compat/index.js";
import { attachment, type Headers, type SizedResponse } from "../../http/index.js";
import {
  type EndpointResult,
  header,
  type NamedContext,
  type Route,
  type RouteDescription,
  TEXT,
} from "../../route/index.js";
import type { SavedFile } from "../file/index.js";
import type { FileLink } from "./file-links.js";
import type { LinkNeeds } from "./link-door.js";
import { busyPage, gonePage, LINK_HEADERS, passwordPage, VIDEO_NAME, videoPage } from "./link-page.js";
import { LINK_WORDS, readerLanguage } from "./link-words.js";

const PATH = "/shared/{link}";
const PATH_VALUES = { link: "As in `Path` of the answer that made the link." };
const PAGE_ANSWER = { text: "The page.", content: { "text/html": TEXT } };
const ACCESS = "For whoever has the link; credentials are not read.";
const GONE = { 404: "The link opens nothing: it has ended, was taken back, or never was." };

const PAGE_DESCRIPTION: RouteDescription = {
  topic: "export",
  summary: "Shows the file of a link to people without a login",
  access: ACCESS,
  text: [
    "A page with a player, in English or Russian as `Accept-Language` likes best, without scripts. Where the link has a password, it asks for that first.",
  ],
  pathValues: PATH_VALUES,
  answer: PAGE_ANSWER,
  errors: GONE,
  example: [
    'LINK=$(curl -fsSu "$AUTH" "$NVRD/api/files/$FILE/links" --data \'{ "Hours": 24 }\' | member Path)',
    `curl -f "$NVRD/shared/\${LINK##*/}"`,
  ],
};

/** The pages of links. A name in a path of these is never logged. */
export const SHARED_ROUTES: readonly Route<LinkNeeds>[] = [
  { method: "GET", path: PATH, login: "none", describe: PAGE_DESCRIPTION, endpoint: getPage },
  {
    method: "POST",
    path: PATH,
    login: "none",
    describe: {
      ...PAGE_DESCRIPTION,
      summary: "Takes the password of a link",
      text: [
        "The right one sets a cookie and leads back to the page. After five wrong ones from an address it waits, longer each time.",
      ],
      body: {
        required: true,
        mediaType: "application/x-www-form-urlencoded",
        schema: { type: "object", properties: { password: { type: "string", maxLength: 128 } } },
      },
      answer: { text: "The way to the page.", content: {}, status: 303 },
      errors: {
        ...GONE,
        401: "The password is wrong.",
        429: "Too many wrong passwords. `Retry-After` says how long to wait.",
      },
      example: [
        'LINK=$(curl -fsSu "$AUTH" "$NVRD/api/files/$FILE/links" --data \'{ "Hours": 24, "Password": "gate at nine" }\' | member Path)',
        `curl -f -c cookies.txt -o /dev/null "$NVRD/shared/\${LINK##*/}" --data-urlencode "password=gate at nine"`,
      ],
    },
    endpoint: postPassword,
  },
  {
    method: "GET",
    path: `${PATH}/${VIDEO_NAME}`,
    login: "none",
    describe: {
      ...PAGE_DESCRIPTION,
      summary: "Returns the file of a link",
      text: [
        "As [`GET /api/files/{id}`](#get-apifilesid) does, ranges included. Where the link has a password, the cookie that it gave is needed. At most 6 are sent at once by a link, 16 by all.",
      ],
      parameters: [
        header("Range", TEXT, "The requested bytes, one range: the answer is 206."),
        header("If-Range", TEXT, "The ETag of the range. If it has changed, the whole file is sent."),
        header("If-Match", TEXT, "ETags: 412 if none is the file's."),
        header("If-None-Match", TEXT, "ETags: 304 if one is the file's."),
      ],
      answer: { text: "The file.", content: { "video/mp4": { type: "string", format: "binary" } } },
      errors: {
        ...GONE,
        401: "The link has a password, and it was not given yet.",
        412: "None of the ETags of `If-Match` is the file's.",
        416: "The range lies outside the file.",
        429: "Too many fetch files by links. `Retry-After` says how long to wait.",
      },
      example: [
        'LINK=$(curl -fsSu "$AUTH" "$NVRD/api/files/$FILE/links" --data \'{ "Hours": 24 }\' | member Path)',
        `curl -f -o shared.mp4 "$NVRD/shared/\${LINK##*/}/${VIDEO_NAME}"`,
      ],
    },
    endpoint: getVideo,
  },
];

type Context = NamedContext<LinkNeeds>;

/** GET /shared/{link}. */
function getPage(context: Context): EndpointResult {
  const { needs, request } = context;
  const language = languageFor(context);
  const token = tokenOf(context);
  const found = needs.fileLinks.find(token);
  if (found === undefined) return gonePage(language);
  const { link, file } = found;
  if (!needs.linkDoor.hasPass(link, passIn(context, link))) return passwordPage(language, 200);
  needs.linkDoor.opened(link, request.address);
  const { name, headBytes, mediaBytes } = file;
  return videoPage({ ...{ language, token, name, bytes: headBytes + mediaBytes }, untilUs: link.untilUs });
}

/** POST /shared/{link}: the form with the password. */
async function postPassword(context: Context): Promise<EndpointResult> {
  const { needs, request } = context;
  const language = languageFor(context);
  const token = tokenOf(context);
  const found = needs.fileLinks.find(token);
  if (found === undefined) return gonePage(language);
  const form = new URLSearchParams(Buffer.from(request.body).toString("utf8"));
  const words = LINK_WORDS[language];
  try {
    const isRight = await needs.linkDoor.isPassword(found.link, form.get("password") ?? "", request.address);
    if (!isRight) return passwordPage(language, 401, words.wrong);
  } catch (error) {
    if (!(error instanceof NvrdError) || error.code !== "TOO_MANY_REQUESTS") throw error;
    const seconds = Math.max(1, Math.ceil((error.retryAfterMs ?? 1000) / 1000));
    const page = passwordPage(language, 429, words.wait(seconds));
    return { ...page, headers: [...page.headers, ["Retry-After", String(seconds)]] };
  }
  const secure = request.content.secure ? "; Secure" : "";
  const pass = `${cookieName(found.link)}=${needs.fileLinks.passFor(found.link)}`;
  return {
    status: 303,
    headers: [
      // Relative, because a proxy may have the recorder below a path; the cookie's path is that of the folder.
      ["Location", token],
      ["Set-Cookie", `${pass}; HttpOnly; SameSite=Strict${secure}`],
      ...LINK_HEADERS,
    ],
    body: new Uint8Array(0),
  };
}

/** GET /shared/{link}/video.mp4 */
function getVideo(context: Context): EndpointResult {
  const { needs, request, response } = context;
  const language = languageFor(context);
  const found = needs.fileLinks.find(tokenOf(context));
  if (found === undefined) return gonePage(language);
  const { link, file } = found;
  if (!needs.linkDoor.hasPass(link, passIn(context, link))) return passwordPage(language, 401);
  const headers: Headers = [
    ["Content-Type", "video/mp4"],
    ["Content-Disposition", attachment(file.name, "mp4")],
    ["Accept-Ranges", "bytes"],
    ["ETag", `"${file.id}"`],
    ...LINK_HEADERS,
  ];
  const byteLength = file.headBytes + file.mediaBytes;
  try {
    return answerSizedFile(
      context,
      { headers, etag: `"${file.id}"`, byteLength },
      {
        onBegin: () => {
          response.onClose(needs.linkDoor.begin(link, () => response.close()));
          needs.linkDoor.opened(link, request.address);
        },
        send: (range, sized) => void send(context, file, range, sized),
      },
    );
  } catch (error) {
    if (!(error instanceof NvrdError) || error.code !== "TOO_MANY_REQUESTS") throw error;
    const page = busyPage(language);
    const seconds = Math.ceil((error.retryAfterMs ?? 1000) / 1000);
    return { ...page, headers: [...page.headers, ["Retry-After", String(seconds)]] };
  }
}

/** Sends in the background; an error aborts the answer, which the client detects by its length. Never rejects. */
async function send(
  { needs, log }: Context,
  file: SavedFile,
  range: { readonly from: number; readonly to: number },
  sized: SizedResponse,
): Promise<void> {
  try {
    await pump(needs.files.read(file, range), sized);
  } catch (error) {
    log.warn({ reason: errorText(error) }, "a file of recordings was not sent to its end by a link");
    sized.abort();
  }
}

const tokenOf = ({ pathValues }: Context): string => pathValues.get("link") ?? "";

const languageFor = ({ request }: Context) => readerLanguage(request.header("accept-language"));

const cookieName = ({ id }: FileLink): string => `nvrd-link-${id.slice(0, 8)}`;

function passIn({ request }: Context, link: FileLink): string | undefined {
  if (link.secret === null) return undefined;
  const start = `${cookieName(link)}=`;
  const cookies = (request.header("cookie") ?? "").split(/[;,]/).map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length);
}

/** A path for the log: without the link, because it gives access. */
export function withoutLink(path: string): string {
  return path.replace(/^\/shared\/[^/]+/, PATH);
}
