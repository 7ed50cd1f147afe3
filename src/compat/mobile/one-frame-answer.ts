import type { Answer } from "../../http/index.js";
import type { TranscodedPicture } from "../../picture/index.js";
import { partHead } from "../../player/index.js";
import { MULTIPART_HEADERS } from "../../route/index.js";

/**
 * The answer to `oneframeonly`: the bare JPEG with `withcontenttype`, else the headers of a part and the JPEG in the
 * body, without a boundary.
 */
export function answerOneFrame(picture: TranscodedPicture, withContentType: boolean): Answer {
  const { data, timeUs } = picture;
  if (withContentType) {
    const headers = [
      ["Content-Type", "image/jpeg"] as const,
      ["Cache-Control", "no-cache, no-store"] as const,
    ];
    return { status: 200, headers, body: data };
  }
  const body = Buffer.concat([partHead("image/jpeg", timeUs, data.length), data]);
  return { status: 200, headers: MULTIPART_HEADERS, body };
}
