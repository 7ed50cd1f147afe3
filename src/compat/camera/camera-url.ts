import { parseDeviceHost } from "../../camera/index.js";
import { STREAM_SCHEME } from "../../rtsp/index.js";

/** A stream's URL without its credentials. */
export interface StreamUrl {
  readonly url: string;
  /** Percent-decoded; empty if the URL had none. */
  readonly login: string;
  readonly password: string;
}

/**
 * Reads the complete URL of a camera's stream. Returns a fault as text, without the URL, because it may contain a
 * password.
 */
export function readStreamUrl(text: string): StreamUrl | string {
  const trimmed = text.trim();
  if (!STREAM_SCHEME.test(trimmed) || /^[^/]*\/\/(?:[\s/?#]|$)/.test(trimmed))
    return "must be a complete rtsp://, rtsps://, rtsp+http:// or rtsp+https:// URL";
  if (/\s/.test(trimmed)) return "must not have blanks: write them as %20";
  // Passwords often contain a raw @: the last one before the path ends the credentials.
  const match = /^([a-z+]+:\/\/)(?:([^/?#]*)@)?([^@/?#]+)([/?#].*)?$/i.exec(trimmed);
  const [, scheme = "", user = "", host = "", path = ""] = match ?? [];
  const url = `${scheme.toLowerCase()}${host}${path}`;
  if (match === null || !isUrl(url)) return "is not a URL that can be connected to";
  return withCredentials(url, user);
}

/**
 * Reads the address of a device (not of a stream): a host name or address with or without a port, or an http:// or https://
 * URL. Returns a fault as text, without the address.
 */
export function readDeviceAddress(text: string): StreamUrl | string {
  const trimmed = text.trim();
  if (STREAM_SCHEME.test(trimmed)) {
    return "must be the device's address: a complete rtsp:// URL is for the model RTSP/RTP device";
  }
  const [, scheme = "", user = "", rest = ""] = /^(https?:\/\/)?(?:([^/?#]*)@)?(.*)$/is.exec(trimmed) ?? [];
  const url = `${scheme.toLowerCase()}${rest}`;
  if (parseDeviceHost(url) === undefined) {
    return "must be a host name or an address, with or without a port, or an http:// URL";
  }
  return withCredentials(url, user);
}

function withCredentials(url: string, user: string): StreamUrl | string {
  const colon = user.indexOf(":");
  const login = decode(colon < 0 ? user : user.slice(0, colon));
  const password = decode(colon < 0 ? "" : user.slice(colon + 1));
  if (login === undefined || password === undefined) return "has a broken percent escape in its credentials";
  if (/\p{Cc}|\p{Cs}/u.test(login + password)) return "has control characters in its credentials";
  return { url, login, password };
}

function isUrl(text: string): boolean {
  // The standard's parser knows no zones of link-local addresses.
  const plain = text.replace(/^([a-z]+:\/\/(?:[^@/?#]*@)?\[[^\]%]+)%[\w.-]+\]/i, "$1]");
  return URL.canParse(plain) && new URL(plain).hostname !== "";
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid percent-encoding: reported by the caller without the text.
    return undefined;
  }
}
