import { viewTexts } from "../../contract/index.js";
import {
  answerJson,
  FLAG,
  GUID,
  jsonAnswer,
  listOf,
  meaning,
  objectOf,
  orNull,
  type Route,
  WHOLE,
} from "../../route/index.js";
import type { ChannelNeeds } from "./recording-states.js";
import { usableViews } from "./usable-views.js";

/** GET /api/views: the saved walls that a user may open, with their tiles. */
export const VIEWS_ROUTE: Route<ChannelNeeds> = {
  method: "GET",
  path: "/api/views",
  login: "user",
  endpoint: ({ needs, principal }) =>
    answerJson(
      usableViews(needs.site.current, principal).map(({ view, channelIds }) => ({
        Id: view.id,
        Name: view.name,
        GridType: view.gridType,
        ChannelIds: channelIds,
        IsFilled: view.isFilled ?? false,
        RotationSeconds: view.rotationSeconds ?? 0,
      })),
    ),
  describe: {
    topic: "channel",
    summary: "Lists the views that the user may open, with their cameras",
    text: [
      "An addition of nvrd's: the same views as [`getprofiles`](#get-and-post-command) names. Senior administrators change them by [`/configure/views`](#get-configureviews).",
      "The page reads and writes three kinds of `GridType`: `GridType` with the number of tiles, or with columns and rows (`GridType3X2`); `Even` with the number of tiles, all alike, in the rows and columns that fit the screen; and `Free` with two signs for each tile, its columns and its rows in a grid of 12 by 12.",
    ],
    answer: jsonAnswer(
      listOf(
        objectOf({
          Id: GUID,
          Name: { type: "string" },
          GridType: meaning("The screen grid.", { type: "string" }),
          ChannelIds: meaning(
            "In the grid's order, page after page; null for a camera that the user may not see.",
            listOf(orNull(GUID)),
          ),
          IsFilled: meaning(viewTexts.IsFilled ?? "", FLAG),
          RotationSeconds: meaning(viewTexts.RotationSeconds ?? "", WHOLE),
        }),
      ),
      "The views.",
    ),
    example: ['curl -fu "$AUTH" "$NVRD/api/views"'],
  },
};
