import { isUtf8 } from "node:buffer";
import type { LoginCredentials } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { type RequestContent, shown } from "../../http/index.js";

/** Maximum length of a login or a password; longer ones are never valid. */
const CREDENTIAL_LENGTH_MAX = 1024;

/** The parts of a request with credentials. */
type CredentialRequest = Pick<RequestContent, "query" | "header" | "address">;

/**
 * The credentials of a request: the query's `login`, `password`, `usertype`, otherwise HTTP Basic with the `UserType` header.
 * If both are sent, the query is used, because it was written for this request. An internal user's
 * password is its MD5 in the query, a directory user's Base64. In Basic it is plain, as a browser's dialog sends it; an internal
 * user's may be its MD5. Throws NvrdError UNAUTHORIZED if there are none, or they are invalid.
 */
export function readCredentials(request: CredentialRequest): LoginCredentials {
  const found = findCredentials(request);
  if (found === undefined) throw noCredentials();
  return found;
}

/** As `readCredentials`; undefined if there are none. */
export function findCredentials(request: CredentialRequest): LoginCredentials | undefined {
  const found = fromQuery(request) ?? fromBasic(request);
  if (found === undefined) return undefined;
  if (found.login.length > CREDENTIAL_LENGTH_MAX || (found.password?.length ?? 0) > CREDENTIAL_LENGTH_MAX) {
    throw new NvrdError(
      "UNAUTHORIZED",
      `login or password is longer than ${CREDENTIAL_LENGTH_MAX} characters`,
    );
  }
  return found;
}

export function noCredentials(): NvrdError {
  return new NvrdError("UNAUTHORIZED", "the request carries no credentials");
}

function fromQuery(request: CredentialRequest): LoginCredentials | undefined {
  const login = request.query.getFilled("login");
  if (login === undefined) return undefined;
  const userType = readUserType(request.query.getFilled("usertype") ?? request.header("usertype"));
  const password = request.query.get("password");
  const { address } = request;
  const decoded = password === undefined ? undefined : decodeQueryPassword(password);
  if (userType === "ActiveDirectory") {
    if (password !== undefined && decoded === undefined)
      throw new NvrdError("UNAUTHORIZED", "the password of a directory user is not Base64 of UTF-8 text");
    return { login, password: decoded, userType, address };
  }
  return { login, password, directoryPassword: decoded, userType, address };
}

function fromBasic(request: CredentialRequest): LoginCredentials | undefined {
  const header = request.header("authorization");
  if (header === undefined) return undefined;
  const match = /^basic +([A-Za-z0-9+/_-]*={0,2}) *$/i.exec(header);
  const pair = match?.[1] === undefined ? undefined : decodePair(match[1]);
  const colon = pair?.indexOf(":") ?? -1;
  if (pair === undefined || colon < 1) {
    throw new NvrdError(
      "UNAUTHORIZED",
      "the Authorization header is not Basic with login:password in Base64",
    );
  }
  const password = pair.slice(colon + 1);
  return {
    login: pair.slice(0, colon),
    password,
    directoryPassword: password,
    isPlainOrMd5: true,
    userType: readUserType(request.query.getFilled("usertype") ?? request.header("usertype")),
    address: request.address,
  };
}

function readUserType(text: string | undefined): LoginCredentials["userType"] {
  switch (text?.trim().toLowerCase()) {
    case undefined:
    case "":
      return undefined;
    case "internal":
      return "internal";
    case "activedirectory":
      return "ActiveDirectory";
    default:
      throw new NvrdError(
        "BAD_REQUEST",
        `usertype is "${shown(text ?? "")}": use internal or ActiveDirectory`,
      );
  }
}

/** Decodes Base64 of UTF-8 from the query, where `+` was decoded to a blank; undefined if invalid. */
function decodeQueryPassword(text: string): string | undefined {
  const base64 = text.replaceAll(" ", "+");
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(base64)) return undefined;
  return utf8Text(Buffer.from(base64, "base64"));
}

/** `login:password` in UTF-8 (RFC 7617, 2.1), or in ISO 8859-1, as sent by older programs. */
function decodePair(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  return utf8Text(bytes) ?? bytes.toString("latin1");
}

function utf8Text(bytes: Uint8Array): string | undefined {
  return isUtf8(bytes) ? Buffer.from(bytes).toString("utf8") : undefined;
}
