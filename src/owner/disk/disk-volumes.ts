import {
  adoptOrder,
  adoptOrderTexts,
  forgetOrder,
  forgetOrderTexts,
  retireOrder,
  retireOrderTexts,
} from "../../contract/answer/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { answerJson, FLAG, GUID, jsonAnswer, objectOf, type Route, readBody } from "../../route/index.js";
import { bodyOfOrder } from "../task/index.js";
import { userOf, WRONG_CONFIRM } from "./disk-input.js";
import type { DiskNeeds } from "./disks.js";

/* Operations on volumes. */

const adoptBody = readerOfValue(adoptOrder);
const retireBody = readerOfValue(retireOrder);
const forgetBody = readerOfValue(forgetOrder);

export const DISK_VOLUME_ROUTES: readonly Route<DiskNeeds>[] = [
  {
    method: "POST",
    path: "/api/disks/adopt",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Accepts the volume found at a path, with its recordings",
      body: {
        required: true,
        schema: bodyOfOrder(adoptOrder, adoptOrderTexts),
      },
      answer: jsonAnswer(objectOf({ VolumeId: GUID }), "It is in use, and its recordings are being indexed."),
      errors: {
        400: WRONG_CONFIRM,
        404: "There is no volume at the path.",
        409: "The volume known there is in use.",
        503: "The volume cannot be used; the text says why.",
      },
      example: [
        "# Where there is no such volume: 404.",
        'curl -fu "$AUTH" -X POST "$NVRD/api/disks/adopt" --data \'{ "Path": "/srv/nvrd-0a1b2c3d" }\'',
      ],
    },
    /** POST /api/disks/adopt: accepts any volume found at a path. */
    async endpoint(context) {
      const { Path, Confirm } = readBody(adoptBody, context.request.body);
      const id = await context.needs.storage.adopt(Path, Confirm ?? undefined, userOf(context));
      return answerJson({ VolumeId: id });
    },
  },
  {
    method: "POST",
    path: "/api/disks/retire",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Stops recording onto a volume, or starts it again",
      text: [
        "Its cameras move to other volumes with their next key frames. Its recordings can be played until retention deletes them. A retired volume may be absent without an alarm.",
      ],
      body: {
        required: true,
        schema: bodyOfOrder(retireOrder, retireOrderTexts),
      },
      answer: jsonAnswer(objectOf({ IsRetired: FLAG }), "The volume is retired, or in use again."),
      errors: {
        404: "There is no such volume.",
        409: "It is the last volume that can be recorded onto, or no volume has been accepted there yet.",
      },
      example: [
        "# Where there is no such volume: 404.",
        'curl -fu "$AUTH" -X POST "$NVRD/api/disks/retire" --data \'{ "Path": "/srv/nvrd-0a1b2c3d", "Retired": true }\'',
      ],
    },
    /** POST /api/disks/retire: stops or resumes recording onto a volume. */
    async endpoint(context) {
      const { Path, Retired } = readBody(retireBody, context.request.body);
      await context.needs.storage.retire(Path, Retired, userOf(context));
      return answerJson({ IsRetired: Retired });
    },
  },
  {
    method: "POST",
    path: "/api/disks/forget",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Forgets a volume that is retired or left out",
      text: [
        "Its recordings are removed from the archive, including protected ones. The files stay on the disk, and return when the volume is adopted.",
      ],
      body: {
        required: true,
        schema: bodyOfOrder(forgetOrder, forgetOrderTexts),
      },
      answer: jsonAnswer(objectOf({ IsForgotten: FLAG }), "The volume is no longer part of the archive."),
      errors: {
        400: WRONG_CONFIRM,
        404: "There is no such volume.",
        409: "It is in use: retire it first.",
      },
      example: [
        "# Where there is no such volume: 404.",
        'curl -fu "$AUTH" -X POST "$NVRD/api/disks/forget" --data \'{',
        '  "Path": "/srv/nvrd-0a1b2c3d", "Confirm": "99999999-0000-4000-8000-000000000001" }\'',
      ],
    },
    /** POST /api/disks/forget: permanently removes a volume. */
    async endpoint(context) {
      const { Path, Confirm } = readBody(forgetBody, context.request.body);
      await context.needs.storage.forget(Path, Confirm, userOf(context));
      return answerJson({ IsForgotten: true });
    },
  },
];
