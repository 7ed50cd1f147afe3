import { randomBytes } from "node:crypto";
import { type PostAnswer, postForAnswer, retryAfterMs, type WebhookReach } from "../alarm/index.js";
import { type Clock, errorText, NvrdError, US_PER_MS } from "../base/index.js";
import type { VisionServer } from "../site/index.js";
import type { Finding } from "./finding.js";
import { readAnswer, type SentPicture, type VisionTask } from "./vision-answer.js";

/** A longer answer is not read to its end. */
export const ANSWER_BYTES_MAX = 256 * 1024;
/** A larger picture is not sent. */
export const PICTURE_BYTES_MAX = 4 * 1024 * 1024;
const STATUS_OK = 200;

export interface VisionPicture extends SentPicture {
  readonly jpeg: Uint8Array;
}

export interface VisionCall {
  readonly server: VisionServer;
  readonly task: VisionTask;
  readonly picture: VisionPicture;
  /** 0 to 1. */
  readonly minConfidence: number;
  readonly signal: AbortSignal;
  readonly reach: WebhookReach;
  readonly clock: Clock;
}

/** What a server is asked by that configuration. */
export function tasksOf({ objects, plates, faces }: VisionServer): readonly VisionTask[] {
  return [
    ...(objects ? (["objects"] as const) : []),
    ...(plates ? (["plates"] as const) : []),
    ...(faces ? (["faces"] as const) : []),
  ];
}

/**
 * Sends a picture as a form with a file (RFC 7578), as the vision API of DeepStack wants it. Rejects with Error in words, without
 * the key; where the server says when to come again, with NvrdError NOT_AVAILABLE that says it too.
 */
export async function askServer(call: VisionCall): Promise<readonly Finding[]> {
  const { server, task, picture, minConfidence, signal, reach } = call;
  const url = urlOf(server, task);
  const boundary = `nvrd-${randomBytes(12).toString("hex")}`;
  const body = formOf(picture.jpeg, boundary, {
    min_confidence: String(minConfidence),
    ...(server.apiKey === "" ? {} : { api_key: server.apiKey }),
  });
  const answer = await postForAnswer(url, {
    ...{ body, signal, reach, answerBytesMax: ANSWER_BYTES_MAX },
    ...(server.authority === undefined ? {} : { authority: server.authority }),
    headers: {
      "Content-Type": `multipart/form-data; boundary=${boundary}`,
      "Content-Length": String(body.length),
      Accept: "application/json",
      "User-Agent": "nvrd",
    },
  });
  return findingsOf(answer, call, url);
}

function findingsOf(
  { status, body, retryAfter }: PostAnswer,
  { server, task, picture, clock }: VisionCall,
  url: URL,
): readonly Finding[] {
  if (status !== STATUS_OK)
    throw new NvrdError("NOT_AVAILABLE", `${url.host} answered ${status} to ${url.pathname}; expected 200`, {
      hint: "",
      retryAfterMs: retryAfterMs(retryAfter, clock.nowUs() / US_PER_MS),
    });
  try {
    return readAnswer(body, task, picture, server.apiKey);
  } catch (error) {
    throw new Error(`${url.host}${url.pathname}: ${errorText(error)}`);
  }
}

function urlOf({ url, platesPath, facesPath }: VisionServer, task: VisionTask): URL {
  const path = { objects: "/v1/vision/detection", plates: platesPath, faces: facesPath }[task];
  const whole = new URL(url);
  whole.pathname = `${whole.pathname.replace(/\/+$/, "")}${path}`;
  return whole;
}

function formOf(jpeg: Uint8Array, boundary: string, values: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(values).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="image"; filename="picture.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  return Buffer.concat([Buffer.from(fields.join("") + file), jpeg, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}
