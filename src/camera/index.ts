/**
 * camera: the device behind a channel: which models there are, how a model's streams are addressed, their sources.
 *
 * Belongs here: models, discovery, ONVIF, connecting a channel's streams as long as somebody wants them.
 * Does not belong here: RTSP itself (`rtsp`), when to record (`recording`), how a camera is configured by API (`api`).
 */

export * from "./description/camera-failure.js";
export * from "./description/channel-number.js";
export * from "./description/device-access.js";
export * from "./description/device-description.js";
export * from "./description/device-host.js";
export * from "./device/address-follower.js";
export * from "./device/blank-camera.js";
export * from "./device/camera-devices.js";
export * from "./device/device-adding.js";
export { ASK_AGAIN_MS, type DeviceInspection, type InspectDevice } from "./device/device-inspection.js";
export * from "./device/device-memory.js";
export * from "./device/device-model.js";
export * from "./device/device-setup.js";
export { inspectByFamily } from "./device/ipv4-inspection.js";
export * from "./device/login-attempt.js";
export * from "./device/login-budget.js";
export { CATALOGUE_BYTES_MAX, type ModelWarning } from "./device/model-catalogue.js";
export * from "./device/models.js";
export * from "./device/onvif-camera.js";
export * from "./device/profile-choice.js";
export * from "./device/rtsp-camera.js";
export * from "./device/stream-address.js";
export * from "./discovery/device-directory.js";
export * from "./discovery/discovery.js";
export * from "./discovery/discovery-address.js";
export type { DeviceDetails, OpenProfile, OpenReader } from "./discovery/discovery-details.js";
export { type DiscoveryNetwork, type LanAddress, SYSTEM_NETWORK } from "./discovery/discovery-network.js";
export { openReader } from "./discovery/discovery-open-reader.js";
export { isAddressRange } from "./discovery/discovery-range.js";
export type { ScanProgress } from "./discovery/discovery-scan.js";
export type { FoundDevice, ListedDevice } from "./discovery/discovery-table.js";
export * from "./discovery/network-addresses.js";
export {
  type CameraEvent,
  type CameraEventSink,
  CameraEvents,
  type CameraEventsOptions,
} from "./event/camera-events.js";
export { NotificationConsumer } from "./event/notification-consumer.js";
export { NOTIFY_BYTES_MAX } from "./event/notify-listener.js";
export { AddressCorrection, type AddressCorrectionOptions } from "./onvif/address-correction.js";
export { readIdentity } from "./onvif/device-contact.js";
export { normalIdentity } from "./onvif/device-identity.js";
export { type InspectOptions, inspectDevice } from "./onvif/inspect-device.js";
export { fetchSnapshot, SNAPSHOT_BYTES_MAX } from "./onvif/snapshot.js";
export { type ServiceName, type SoapCall, SoapClient, type SoapClientOptions } from "./onvif/soap-client.js";
export { escapeXml } from "./onvif/soap-envelope.js";
export { parseXml, XmlError } from "./onvif/xml-document.js";
export { XmlElement } from "./onvif/xml-element.js";
export * from "./ptz/ptz-command.js";
export { type Ptz, PtzControl, type PtzControlOptions, type PtzRequest } from "./ptz/ptz-control.js";
export { PTZ_HOLD_MS, type PtzUser, ptzRank } from "./ptz/ptz-priority.js";
export * from "./stream/camera-snapshots.js";
export * from "./stream/camera-streams.js";
export * from "./stream/managed-stream.js";
