import { NvrdError } from "../../base/index.js";
import type { Answer, ApiResponse } from "../../http/index.js";
import { type EndpointResult, STREAMED } from "../endpoint/context.js";

/** What a route that has `optionalPicture` says of its status 204. */
export const NO_PICTURE_TEXT = "With `optional`: nothing is recorded.";

const NO_PICTURE: Answer = {
  status: 204,
  headers: [["Cache-Control", "private, no-cache"]],
  body: new Uint8Array(0),
};

/** What `picture` resolves with; of one that is optional, 204 in place of NvrdError NOT_FOUND. Nothing is sent to a client that has left. */
export async function answerPicture(
  response: ApiResponse,
  isOptional: boolean,
  picture: () => Promise<EndpointResult>,
): Promise<EndpointResult> {
  try {
    return await picture();
  } catch (error) {
    if (response.finished) return STREAMED;
    if (isOptional && error instanceof NvrdError && error.code === "NOT_FOUND") return NO_PICTURE;
    throw error;
  }
}
