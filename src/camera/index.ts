/**
 * camera: the device behind a channel: which models there are, how a model's streams are addressed, their sources.
 *
 * Belongs here: models, discovery, ONVIF, connecting a channel's streams as long as somebody wants them.
 * Does not belong here: RTSP itself (`rtsp`), when to record (`recording`), how a camera is configured by API (`api`).
 */
export * from "./address-follower.js";
export * from "./blank-camera.js";
export * from "./camera-devices.js";
export {
  type CameraEvent,
  type CameraEventSink,
  CameraEvents,
  type CameraEventsOptions,
} from "./camera-events.js";
export * from "./camera-failure.js";
export * from "./camera-snapshots.js";
export * from "./camera-streams.js";
export * from "./channel-number.js";
export * from "./device-access.js";
export * from "./device-adding.js";
export * from "./device-description.js";
export * from "./device-directory.js";
export * from "./device-host.js";
export { ASK_AGAIN_MS, type DeviceInspection, type InspectDevice } from "./device-inspection.js";
export * from "./device-memory.js";
export * from "./device-model.js";
export * from "./device-setup.js";
export * from "./discovery.js";
export * from "./discovery-address.js";
export type { DeviceDetails, OpenProfile, OpenReader } from "./discovery-details.js";
export { type DiscoveryNetwork, type LanAddress, SYSTEM_NETWORK } from "./discovery-network.js";
export { openReader } from "./discovery-open-reader.js";
export { isAddressRange } from "./discovery-range.js";
export type { ScanProgress } from "./discovery-scan.js";
export type { FoundDevice, ListedDevice } from "./discovery-table.js";
export { inspectByFamily } from "./ipv4-inspection.js";
export * from "./login-attempt.js";
export * from "./login-budget.js";
export * from "./managed-stream.js";
export { CATALOGUE_BYTES_MAX, type ModelWarning } from "./model-catalogue.js";
export * from "./models.js";
export * from "./network-addresses.js";
export { NotificationConsumer } from "./notification-consumer.js";
export { NOTIFY_BYTES_MAX } from "./notify-listener.js";
export { AddressCorrection, type AddressCorrectionOptions } from "./onvif/address-correction.js";
export { readIdentity } from "./onvif/device-contact.js";
export { normalIdentity } from "./onvif/device-identity.js";
export { type InspectOptions, inspectDevice } from "./onvif/inspect-device.js";
export { fetchSnapshot, SNAPSHOT_BYTES_MAX } from "./onvif/snapshot.js";
export { type ServiceName, type SoapCall, SoapClient, type SoapClientOptions } from "./onvif/soap-client.js";
export { escapeXml } from "./onvif/soap-envelope.js";
export { parseXml, XmlError } from "./onvif/xml-document.js";
export { XmlElement } from "./onvif/xml-element.js";
export * from "./onvif-camera.js";
export * from "./profile-choice.js";
export * from "./ptz-command.js";
export { type Ptz, PtzControl, type PtzControlOptions, type PtzRequest } from "./ptz-control.js";
export { PTZ_HOLD_MS, type PtzUser, ptzRank } from "./ptz-priority.js";
export * from "./rtsp-camera.js";
export * from "./stream-address.js";
