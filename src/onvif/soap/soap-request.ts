import { type XmlElement, XmlError, type XmlReader } from "../../camera/index.js";
import { SoapFault } from "./soap-message.js";

/** A larger request is refused: those of clients have some two thousand bytes. */
export const REQUEST_BYTES_MAX = 32 * 1024;
const HEADER_TEXT_MAX = 512;

/** A login in the header of a message (WS-Security UsernameToken Profile 1.0). */
export interface UsernameToken {
  readonly user: string;
  /** The digest in Base64, or the password itself. */
  readonly password: string;
  readonly isDigest: boolean;
  /** Base64. */
  readonly nonce: string;
  readonly created: string;
}

/** A SOAP message to a device. */
export interface SoapRequest {
  /** Local name of the operation. */
  readonly operation: string;
  /** Its element. */
  readonly content: XmlElement;
  readonly token: UsernameToken | undefined;
  /** Of WS-Addressing; empty when there is none. */
  readonly messageId: string;
}

/** Reads a message of anybody, within what its sender may cost. Rejects with SoapFault. */
export async function readRequest(
  bytes: Uint8Array,
  {
    peer,
    reader,
    signal,
  }: { readonly peer: string; readonly reader: XmlReader; readonly signal: AbortSignal },
): Promise<SoapRequest> {
  if (bytes.length > REQUEST_BYTES_MAX)
    throw new SoapFault("Sender", ["WellFormed"], `the request has more than ${REQUEST_BYTES_MAX} bytes`, {
      status: 413,
    });
  const envelope = (await documentOf(bytes, { peer, reader, signal })).child("Envelope");
  const body = envelope?.child("Body");
  const [operation] = body?.childNames ?? [];
  const content = operation === undefined ? undefined : body?.child(operation);
  if (operation === undefined || content === undefined)
    throw new SoapFault(
      "Sender",
      ["WellFormed"],
      "the request is no SOAP envelope with an operation in its body",
    );
  const header = envelope?.child("Header");
  return {
    operation,
    content,
    token: tokenOf(header?.at("Security", "UsernameToken")),
    messageId: header?.text("MessageID").slice(0, HEADER_TEXT_MAX) ?? "",
  };
}

async function documentOf(
  bytes: Uint8Array,
  {
    peer,
    reader,
    signal,
  }: { readonly peer: string; readonly reader: XmlReader; readonly signal: AbortSignal },
): Promise<XmlElement> {
  try {
    return await reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { peer, signal });
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new SoapFault("Sender", ["WellFormed"], `the request cannot be read: ${error.message}`);
  }
}

function tokenOf(element: XmlElement | undefined): UsernameToken | undefined {
  if (element === undefined) return undefined;
  const password = element.child("Password");
  return {
    user: element.text("Username"),
    password: password?.text() ?? "",
    isDigest: password?.attribute("Type").endsWith("#PasswordDigest") === true,
    nonce: element.text("Nonce"),
    created: element.text("Created"),
  };
}
