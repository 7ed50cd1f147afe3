/**
 * onvif: the device side of ONVIF: the recorder as a device whose profiles are its cameras' streams; SOAP messages and
 * WS-Discovery of a device, for the demo's cameras, too.
 *
 * Belongs here: the services and their answers, logins by digest, what a client may cost, announcements.
 * Does not belong here: cameras as ONVIF devices (`camera`), the path and its HTTP (`compat`, `owner`), RTSP (`rtsp/server`, `player`), who may
 * do what (`access`).
 *
 * Parts: `soap/`: messages, operations and logins; `discovery/`: announcements and their answers; `media/`: profiles and the
 * addresses of their streams; `ptz/`: moving; `event/`: properties and pull points; `recording/`: recordings, their search and replay.
 */
export { deviceAddress, deviceIdentity, deviceScopes } from "./device-service.js";
export {
  type AnnouncedDevice,
  answeringAddresses,
  DiscoveryResponder,
  type DiscoveryResponderOptions,
} from "./discovery/discovery-responder.js";
export { type OnvifAnswer, OnvifDevice, type OnvifDeviceOptions, type OnvifRequest } from "./onvif-device.js";
export type { OnvifUser } from "./soap/onvif-user.js";
export { ONVIF_PATH } from "./soap/operation.js";
export { dateTimeContent, SOAP_TYPE, SoapFault, soapEnvelope, xmlText } from "./soap/soap-message.js";
