import { randomBytes } from "node:crypto";
import { Authenticator } from "../../rtsp/index.js";
import { CameraFailure } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import type { DeviceProfile } from "../description/device-description.js";
import { type DeviceUrl, parseDeviceUrl, placeOf, requestTarget } from "../soap/device-url.js";
import type { HttpAnswer } from "../soap/http-body.js";
import { CALL_MS_MAX, HttpExchange } from "../soap/http-exchange.js";
import { redirectTarget, redirectUrl } from "../soap/redirect.js";
import { statusFailure } from "../soap/soap-answer.js";

/** Maximum size of a picture, in bytes: enough for a high-quality JPEG of 33 megapixels. */
export const SNAPSHOT_BYTES_MAX = 16 * 1024 * 1024;
/** Requests for one snapshot: without a login, with it, and once more if the nonce is stale. */
const ATTEMPTS_MAX = 3;

/**
 * Fetches the JPEG at a profile's snapshot address. If the device asks for a login, it is sent once, by Digest or Basic.
 * Rejects with CameraFailure.
 */
export async function fetchSnapshot(
  access: DeviceAccess,
  profile: Pick<DeviceProfile, "snapshotUri">,
  signal?: AbortSignal,
): Promise<Buffer> {
  const url = parseDeviceUrl(profile.snapshotUri ?? "", ["http", "https"]);
  if (url === undefined)
    throw new CameraFailure("no-stream", "the device reports no usable snapshot address");
  if (access.secureOnly === true && url.scheme === "http") {
    const message =
      "the device offers its snapshot only unencrypted, and the settings require a secure connection";
    throw new CameraFailure("insecure", message);
  }
  const exchange = new HttpExchange({
    clock: access.clock,
    verifyCertificate: access.verifyCertificate ?? false,
    timeoutMs: access.callTimeoutMs ?? CALL_MS_MAX,
    acceptsKey: access.acceptsKey,
  });
  try {
    return jpegOf(await askAsUser(exchange, { access, url, signal }), access, url);
  } finally {
    exchange.close();
  }
}

interface SnapshotCall {
  readonly access: DeviceAccess;
  readonly url: DeviceUrl;
  readonly signal: AbortSignal | undefined;
}

async function askAsUser(exchange: HttpExchange, call: SnapshotCall): Promise<HttpAnswer> {
  const { login: user, password } = call.access;
  const login = new Authenticator(
    user === "" ? undefined : { user, password },
    () => randomBytes(16).toString("hex"),
    { digestOnly: call.access.digestOnly ?? false },
  );
  for (let attempt = 1; ; attempt += 1) {
    const sent = login.isReady;
    const answer = await askFollowing(exchange, call, login);
    if (answer.status !== 401 || attempt === ATTEMPTS_MAX) return answer;
    const headers = new Map([["www-authenticate", answer.challenges]]);
    if (login.challenged({ headers }, sent) !== "retry") return answer;
  }
}

async function askFollowing(
  exchange: HttpExchange,
  call: SnapshotCall,
  login: Authenticator,
): Promise<HttpAnswer> {
  let { url } = call;
  for (let redirects = 0; ; redirects += 1) {
    const authorization = login.authorization("GET", requestTarget(url));
    const answer = await exchange.call({
      method: "GET",
      url,
      headers: authorization === undefined ? {} : { Authorization: authorization },
      bytesMax: SNAPSHOT_BYTES_MAX,
      signal: call.signal,
    });
    const target = redirectTarget(answer);
    if (target === undefined) return answer;
    url = redirectUrl(target, { from: url, redirects });
  }
}

/** Recognized by its first bytes (JPEG, B.1.1.3: SOI), because content types are often wrong. */
function jpegOf(answer: HttpAnswer, access: DeviceAccess, url: DeviceUrl): Buffer {
  const { body } = answer;
  if (answer.status === 200 && body.length > 3 && body[0] === 0xff && body[1] === 0xd8) return body;
  const context = { place: placeOf(url), operation: "its snapshot", secret: access.password };
  throw statusFailure(answer, context);
}
