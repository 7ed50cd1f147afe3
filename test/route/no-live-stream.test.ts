import { expect, it } from "vitest";
import type { StreamDirectory } from "../../src/live/index.js";
import { noLiveStream } from "../../src/route/index.js";

const errorOf = (streams: Partial<StreamDirectory>, ...types: ["Main"?]): unknown => {
  const { code, message, hint } = noLiveStream({ stream: () => undefined, ...streams }, ...types);
  return { code, message, hint };
};

it("a channel without a live stream is reported with the stream that is missed, and where the streams are listed", () => {
  const hint = "see GET /configex for the channels and their streams";
  expect(errorOf({}, "Main")).toEqual({
    ...{ code: "NOT_FOUND", hint },
    message: "the channel is switched off or has no stream Main",
  });
  expect(errorOf({})).toEqual({
    ...{ code: "NOT_FOUND", hint },
    message: "the channel is switched off or has no stream that you may receive",
  });
});

it("a server that has no live video at all says why, and that there are recordings", () => {
  expect(errorOf({ absence: "a reader of a bucket has no live video" }, "Main")).toEqual({
    code: "NOT_FOUND",
    message: "a reader of a bucket has no live video",
    hint: "see GET /archivefragments for what is recorded",
  });
});
