/** Patterns of the addresses that a host can have, for descriptions. */

export const OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
export const IPV4 = `(?:[1-9]|[1-9]\\d|1\\d\\d|2[01]\\d|22[0-3])(?:\\.${OCTET}){3}`;
