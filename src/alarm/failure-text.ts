import { errorText } from "../base/index.js";

/** What the system's words for a connection that failed mean, and what to do; the codes are in their messages. */
const MEANINGS: readonly (readonly [code: RegExp, meaning: string])[] = [
  [/\bECONNREFUSED\b/, "it refuses the connection: check the port, and whether it is switched on"],
  [/\b(?:ENOTFOUND|EAI_AGAIN)\b/, "this name is not known: check it, and the DNS server of the recorder"],
  [/\b(?:EHOSTUNREACH|ENETUNREACH)\b/, "it cannot be reached: check its address and the recorder's network"],
  [
    /\bETIMEDOUT\b|^(?:Connection timeout|Greeting never received)$/,
    "it does not answer: check its address, port and encryption",
  ],
  [/\b(?:ECONNRESET|EPIPE)\b|^socket hang up$/, "it ended the connection: check the port and the encryption"],
  [
    /wrong version number|packet length too long/i,
    "it does not speak TLS there: check the port and the encryption",
  ],
];

/** Why a message did not arrive, for who sees it on the page. */
export function failureText(error: unknown): string {
  const text = errorText(error);
  return MEANINGS.find(([code]) => code.test(text))?.[1] ?? text;
}
