/** Namespaces by the prefix that the device's messages use for them. */
export const XMLNS = {
  s: "http://www.w3.org/2003/05/soap-envelope",
  tt: "http://www.onvif.org/ver10/schema",
  ter: "http://www.onvif.org/ver10/error",
  tds: "http://www.onvif.org/ver10/device/wsdl",
  trt: "http://www.onvif.org/ver10/media/wsdl",
  tr2: "http://www.onvif.org/ver20/media/wsdl",
  tev: "http://www.onvif.org/ver10/events/wsdl",
  tptz: "http://www.onvif.org/ver20/ptz/wsdl",
  trc: "http://www.onvif.org/ver10/recording/wsdl",
  tse: "http://www.onvif.org/ver10/search/wsdl",
  trp: "http://www.onvif.org/ver10/replay/wsdl",
  tns1: "http://www.onvif.org/ver10/topics",
  wsnt: "http://docs.oasis-open.org/wsn/b-2",
  wstop: "http://docs.oasis-open.org/wsn/t-1",
  wsrf: "http://docs.oasis-open.org/wsrf/bf-2",
  wsa: "http://www.w3.org/2005/08/addressing",
  xs: "http://www.w3.org/2001/XMLSchema",
} as const;

export type Prefix = keyof typeof XMLNS;

/** Declarations of all of them, for the start of an envelope. */
export const DECLARATIONS = Object.entries(XMLNS)
  .map(([prefix, namespace]) => `xmlns:${prefix}="${namespace}"`)
  .join(" ");
