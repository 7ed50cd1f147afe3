import { formatIsoTime, NvrdError, parseGuid } from "../../base/index.js";
import {
  type FileLinkList,
  type FileLinkMade,
  type FileLinkObject,
  type FileLinkRevoked,
  fileLinkList,
  fileLinkMade,
  fileLinkRevoked,
} from "../../contract/answer/index.js";
import { fileLink, fileLinkTexts } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import {
  answerJson,
  jsonAnswer,
  type RequestContext,
  type Route,
  type RouteRight,
  readBody,
  schemaOf,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import { fileOfPath, maySeeFile, type SavedFile } from "../file/index.js";
import type { FileLink } from "./file-links.js";
import { aboutFile, type LinkNeeds } from "./link-door.js";

const RIGHTS: readonly RouteRight[] = [{ right: "CanUseArchiveExport" }];
const ACCESS = "Users see the links that they made, senior administrators all.";
const body = readerOf(fileLink);

export const LINK_ROUTES: readonly Route<LinkNeeds>[] = [
  {
    method: "GET",
    path: "/api/links",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "export",
      summary: "Lists the links to files for people without a login, the newest first",
      access: ACCESS,
      text: ["Those that have not ended. The links themselves are shown once, when they are made."],
      answer: jsonAnswer(schemaOf(fileLinkList), "The links."),
      example: ['curl -fu "$AUTH" "$NVRD/api/links"'],
    },
    /** GET /api/links */
    endpoint({ needs, principal }) {
      const links = needs.fileLinks.list().filter((link) => {
        const file = needs.files.list().find(({ id }) => id === link.fileId);
        return file !== undefined && maySeeLink(principal, link) && maySeeFile(principal, file);
      });
      return answerJson<FileLinkList>({
        IsAllowed: needs.fileLinks.areAllowed,
        Links: links.map(linkObject),
      });
    },
  },
  {
    method: "POST",
    path: "/api/files/{id}/links",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "export",
      summary: "Makes a link to a file for people without a login",
      access:
        "Users of the configuration who may see the file, where `FileLinksEnabled` of [`/configure/server`](#put-configureserver) is true. Not through a hub.",
      text: [
        "The link has 128 random bits, and the recorder keeps its hash. It opens a page with the video, at the address of the recorder at which whoever has it can reach the recorder. It ends when its time is over, when it is taken back, with the file, when links are switched off, and when who made it may no longer export the channel.",
        "At most 8 links to a file, 32 of a user, 256 of all. Making, taking back and opening one are [events](events.md).",
      ],
      pathValues: { id: "`Id` of a file." },
      body: { required: true, schema: withNotes(schemaOfBody(body), notesOf(fileLink, fileLinkTexts)) },
      answer: jsonAnswer(schemaOf(fileLinkMade), "The link."),
      errors: {
        404: "There is no such file, or it may not be seen.",
        429: "There are as many links as may be.",
      },
      example: [
        'curl -fu "$AUTH" -X PUT "$NVRD/configure/server" --data \'{ "FileLinksEnabled": true }\'',
        `curl -fu "$AUTH" "$NVRD/api/tasks" --data '{ "Kind": "SaveFile", "ChannelId": "'$CHANNEL'", "FromTime": "'$FROM'", "ToTime": "'$TO'" }'`,
        'until FILE=$(curl -fsSu "$AUTH" "$NVRD/api/files" | member Id) && [ "$FILE" ]; do sleep 1; done',
        'curl -fu "$AUTH" "$NVRD/api/files/$FILE/links" --data \'{ "Hours": 24, "Password": "gate at nine" }\'',
      ],
    },
    /** POST /api/files/{id}/links */
    async endpoint(context) {
      const { needs, request, principal } = context;
      const file = fileOfPath(context);
      const { Hours: hours, Password: password } = readBody(body, request.body);
      if (hours === undefined || hours === null) throw new NvrdError("BAD_REQUEST", "Hours is required");
      const order = { file, maker: principal, hours, password: password ?? "" };
      const [link, token] = await needs.fileLinks.make(order);
      report(context, "fileLinkMade", file);
      return answerJson<FileLinkMade>({
        ...{ Id: link.id, EndTime: formatIsoTime(link.untilUs), Path: `/shared/${token}` },
      });
    },
  },
  {
    method: "DELETE",
    path: "/api/links/{id}",
    login: "user",
    rights: RIGHTS,

    describe: {
      topic: "export",
      summary: "Takes a link to a file back",
      access: ACCESS,
      text: ["It opens nothing any more, and what is being fetched by it ends."],
      pathValues: { id: "`Id` of the list." },
      answer: jsonAnswer(schemaOf(fileLinkRevoked), "It is taken back."),
      errors: { 404: "There is no such link, or it may not be seen." },
      example: [
        'LINK=$(curl -fsSu "$AUTH" "$NVRD/api/links" | member Id)',
        'curl -fu "$AUTH" -X DELETE "$NVRD/api/links/$LINK"',
      ],
    },
    /** DELETE /api/links/{id} */
    async endpoint(context) {
      const { needs, principal, pathValues } = context;
      const id = parseGuid(pathValues.get("id") ?? "");
      const link = needs.fileLinks.list().find((one) => one.id === id && maySeeLink(principal, one));
      if (link === undefined)
        throw new NvrdError("NOT_FOUND", "there is no such link", { hint: "see GET /api/links" });
      const file = needs.files.list().find((one) => one.id === link.fileId);
      try {
        await needs.fileLinks.revoke(link.id);
      } finally {
        needs.linkDoor.recheck();
      }
      if (file !== undefined) report(context, "fileLinkRevoked", file);
      return answerJson<FileLinkRevoked>({ Id: link.id });
    },
  },
];

function maySeeLink(principal: RequestContext["principal"], { makerId }: FileLink): boolean {
  return principal.group.seniorAdministrators || principal.user.id === makerId;
}

function linkObject(link: FileLink): FileLinkObject {
  const { id, fileId, makerName, createdUs, untilUs, secret, openings, openedUs } = link;
  return {
    ...{ Id: id, FileId: fileId, User: makerName, CreatedTime: formatIsoTime(createdUs) },
    ...{ EndTime: formatIsoTime(untilUs), HasPassword: secret !== null, Openings: openings },
    LastOpenedTime: openedUs === null ? null : formatIsoTime(openedUs),
  };
}

function report(
  { needs, principal: { user } }: RequestContext<LinkNeeds>,
  act: "fileLinkMade" | "fileLinkRevoked",
  file: SavedFile,
): void {
  needs.events.raise({
    ...{ ...aboutFile(file), typeId: EVENT_TYPES[act].id, comment: file.name },
    initiator: { type: 1, id: user.id, name: user.name },
  });
}
