/** Patterns of what a host can be called, for descriptions: what a pattern takes, every reader of addresses takes. */

/** No leading zero: some readers take it for octal. */
export const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
export const IPV4 = `(?:[1-9]|[1-9]\\d|1\\d\\d|2[01]\\d|22[0-3])(?:\\.${OCTET}){3}`;
/** Labels begin with a letter, as numbers are read as addresses; no two hyphens, as `xn--` has to be right Punycode. */
const LABEL = "[A-Za-z](?:-?[A-Za-z0-9])*";
export const HOST_NAME = `${LABEL}(?:\\.${LABEL})*`;
