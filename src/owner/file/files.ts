import { errorText } from "../../base/index.js";
import { answerSizedFile, pump } from "../../compat/index.js";
import {
  type SavedFileList,
  type SavedFileRemoved,
  savedFileList,
  savedFileRemoved,
} from "../../contract/answer/index.js";
import { attachment, type Headers, type SizedResponse } from "../../http/index.js";
import {
  answerJson,
  type EndpointResult,
  header,
  jsonAnswer,
  type RequestContext,
  type Route,
  type RouteRight,
  schemaOf,
  TEXT,
} from "../../route/index.js";
import { conversionLack } from "./conversion-lack.js";
import { fileOfPath, maySeeFile, savedFileObject } from "./saved-file-object.js";
import { type FileNeeds, partsOf, type SavedFile } from "./saved-files.js";

const RIGHTS: readonly RouteRight[] = [{ right: "CanUseArchiveExport" }];
const ACCESS =
  "Users see the files that they had made, senior administrators all; of channels whose recordings they may export.";
const PATH_VALUES = { id: "`Id` of the list." };
const NO_FILE = { 404: "There is no such file, or it may not be seen." };

export const FILE_ROUTES: readonly Route<FileNeeds>[] = [
  {
    method: "GET",
    path: "/api/files",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "export",
      summary: "Lists the files of recordings that lie on the recorder, the newest first",
      access: ACCESS,
      text: [
        "They are made by [a task](#post-apitasks) of the kind `SaveFile`, and kept for 7 days; at most 32 of a user, 128 of all.",
      ],
      answer: jsonAnswer(schemaOf(savedFileList), "The files."),
      example: ['curl -fu "$AUTH" "$NVRD/api/files"'],
    },
    /** GET /api/files */
    async endpoint({ needs, principal }) {
      const files = needs.files.list().filter((file) => maySeeFile(principal, file));
      return answerJson<SavedFileList>({
        Files: files.map(savedFileObject),
        RoomBytes: Math.max(0, Math.floor(await needs.files.roomBytes())),
        Lack: await conversionLack(needs.fileCodec),
      });
    },
  },
  {
    method: "GET",
    path: "/api/files/{id}",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "export",
      summary: "Returns a file of recordings that lies on the recorder",
      access: ACCESS,
      text: [
        "An MP4 file of one piece, whose header comes first. `Range` (one range), `If-Range`, `If-Match`, `If-None-Match` and HEAD work as for [`GET /exportarchive`](#get-exportarchive).",
      ],
      pathValues: PATH_VALUES,
      parameters: [
        header("Range", TEXT, "The requested bytes, one range: the answer is 206."),
        header("If-Range", TEXT, "The ETag of the range. If it has changed, the whole file is sent."),
        header("If-Match", TEXT, "ETags: 412 if none is the file's."),
        header("If-None-Match", TEXT, "ETags: 304 if one is the file's."),
      ],
      answer: { text: "The file.", content: { "video/mp4": { type: "string", format: "binary" } } },
      errors: {
        ...NO_FILE,
        412: "None of the ETags of `If-Match` is the file's.",
        416: "The range lies outside the file.",
      },
      example: [
        `curl -fu "$AUTH" "$NVRD/api/tasks" --data '{ "Kind": "SaveFile", "ChannelId": "'$CHANNEL'", "FromTime": "'$FROM'", "ToTime": "'$TO'" }'`,
        'until FILE=$(curl -fsSu "$AUTH" "$NVRD/api/files" | member Id) && [ "$FILE" ]; do sleep 1; done',
        'curl -fu "$AUTH" -o saved.mp4 "$NVRD/api/files/$FILE"',
      ],
    },
    /** GET /api/files/{id} */
    endpoint(context) {
      return answerFile(context, fileOfPath(context));
    },
  },
  {
    method: "DELETE",
    path: "/api/files/{id}",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "export",
      summary: "Removes a file of recordings from the recorder",
      access: ACCESS,
      text: ["The recordings that it was made of stay."],
      pathValues: PATH_VALUES,
      answer: jsonAnswer(schemaOf(savedFileRemoved), "It is removed."),
      errors: NO_FILE,
      example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/files/$FILE"'],
    },
    /** DELETE /api/files/{id} */
    async endpoint(context) {
      const { id } = fileOfPath(context);
      await context.needs.files.remove(id);
      return answerJson<SavedFileRemoved>({ Id: id });
    },
  },
];

/** Ends when the user's rights or the file are gone. */
function answerFile(context: RequestContext<FileNeeds>, file: SavedFile): EndpointResult {
  const { needs, credentials, response } = context;
  const etag = `"${file.id}"`;
  const headers: Headers = [
    ["Content-Type", "video/mp4"],
    ["Content-Disposition", attachment(file.name, "mp4")],
    ["Accept-Ranges", "bytes"],
    ["ETag", etag],
    ["Cache-Control", "private, no-cache"],
  ];
  const byteLength = file.headBytes + file.mediaBytes;
  return answerSizedFile(
    context,
    { headers, etag, byteLength },
    {
      onBegin: () => {
        const forget = needs.openStreams.add({
          credentials,
          viewer: { over: "export", source: "recorded" },
          mayContinue: (principal) => maySeeFile(principal, file),
          end: () => response.close(),
        });
        response.onClose(forget);
      },
      send: (range, sized) => void send(context, { file, etag, byteLength, range }, sized),
    },
  );
}

interface Sending {
  readonly file: SavedFile;
  readonly etag: string;
  readonly byteLength: number;
  readonly range: { readonly from: number; readonly to: number };
}

/** Sends in the background; an error aborts the answer, which the client detects by its length. Never rejects. */
async function send(
  { needs, principal, response, log }: RequestContext<FileNeeds>,
  { file, etag, byteLength, range }: Sending,
  sized: SizedResponse,
): Promise<void> {
  // An export of each channel that is in it.
  for (const [at, { channelId, channelName, streamTypes }] of partsOf(file).entries()) {
    const request = { ...file, channelName, of: { channelId } };
    const sent = { request, streamTypes, etag: at === 0 ? etag : `${etag} ${at}`, byteLength };
    const recordSent = needs.exports.ledger.begin(sent, principal.user);
    response.onClose(() => recordSent({ from: range.from, to: range.from + sized.sentBytes }));
  }
  try {
    await pump(needs.files.read(file, range), sized);
  } catch (error) {
    log.warn({ reason: errorText(error) }, "a file of recordings was not sent to its end");
    sized.abort();
  }
}
