/**
 * camera: the device behind a channel: its model, the addresses of its streams, and their sources.
 *
 * Belongs here: models, discovery, ONVIF, connecting a channel's streams while they have subscribers.
 * Does not belong here: RTSP itself (`rtsp`), when to record (`recording`), how a camera is configured by API (`compat`, `owner`).
 *
 * Parts: `description/`: the shapes that describe a camera: address, login, streams, failures; `xml/`: reading what a device sends,
 * within bounds; `soap/`: one request to a device: its address, login, redirects, faults; `onvif/`: what is asked of a device, and what
 * its answers mean; `device/`: devices, their models and stored answers, login attempts; `discovery/`: finding devices on the network;
 * `event/`: events that devices report; `ptz/`: moving a camera; `relay/`: digital outputs; `mask/`: privacy masks; `card/`: what cameras keep on cards of
 * their own; `stream/`: sources of the streams, and pictures that cameras make; `talk/`: sound that is sent to cameras; `filling/`:
 * what cameras kept on cards, fetched into gaps of the recording.
 */

export {
  type CardContents,
  CardControl,
  type CardPlayback,
  type CardPlayRequest,
  type CardRecording,
  type Cards,
  fillsFromCard,
} from "./card/card-control.js";
export { CameraFailure } from "./description/camera-failure.js";
export type { DeviceAccess } from "./description/device-access.js";
export type { DeviceDescription, DeviceProfile } from "./description/device-description.js";
export { parseDeviceHost } from "./description/device-host.js";
export { sameDevice, traitsOf } from "./description/device-traits.js";
export { AddressFollower } from "./device/address-follower.js";
export { blankCamera } from "./device/blank-camera.js";
export { CameraDevices } from "./device/camera-devices.js";
export { CameraKeys } from "./device/camera-keys.js";
export { type CameraKey, CameraNotes } from "./device/camera-notes.js";
export { channelNumberOf } from "./device/channel-number.js";
export {
  type DeviceInspector,
  type DeviceReading,
  type LoginAttempt,
  readDevices,
} from "./device/device-adding.js";
export { ASK_AGAIN_MS, type InspectDevice } from "./device/device-inspection.js";
export { DeviceMemory } from "./device/device-memory.js";
export type { DeviceModel, ModelConnection } from "./device/device-model.js";
export type { DevicePlace, PlaceFinder } from "./device/device-search.js";
export { cameraOfDevice, DeviceSetup } from "./device/device-setup.js";
export { inspectByFamily } from "./device/ipv4-inspection.js";
export { LoginBudgets, REFUSALS_BEFORE_WAIT, REFUSED_WAIT_MS } from "./device/login-budget.js";
export { CATALOGUE_BYTES_MAX } from "./device/model-catalogue.js";
export {
  deviceModel,
  deviceModels,
  extendModels,
  modelFor,
  ONVIF_MODEL,
  RTSP_MODEL,
  snapshotPath,
  streamPath,
} from "./device/models.js";
export { macOf } from "./device/neighbours.js";
export { camerasOfDevice, type OnvifCameraOptions, streamsOfSource } from "./device/onvif-camera.js";
export { chooseProfiles, FORMAT_DEFAULT } from "./device/profile-choice.js";
export { RefusedLogins } from "./device/refused-logins.js";
export type { StreamAddress } from "./device/stream-address.js";
export {
  type DeviceDirectory,
  NetworkDevices,
  type NetworkDevicesOptions,
} from "./discovery/device-directory.js";
export {
  type DiscoveredDevice,
  Discovery,
  SCAN_SECONDS_MAX,
  type ScanQuestion,
} from "./discovery/discovery.js";
export { camerasOf, deviceHostname, hostnameHost, twinsOf } from "./discovery/discovery-address.js";
export { DatagramBudget } from "./discovery/discovery-budget.js";
export type { OpenProfile, OpenReader } from "./discovery/discovery-details.js";
export {
  type DiscoveryNetwork,
  isLinkLocal,
  isOwnAddress,
  type LanAddress,
  SYSTEM_NETWORK,
} from "./discovery/discovery-network.js";
export { openReader } from "./discovery/discovery-open-reader.js";
export { isAddressRange, parseAddressRange } from "./discovery/discovery-range.js";
export type { ScanProgress } from "./discovery/discovery-scan.js";
export { isStillMember, joinGroup } from "./discovery/multicast-membership.js";
export { NetworkAddresses } from "./discovery/network-addresses.js";
export { type OwnDevice, OwnDevices } from "./discovery/own-device.js";
export { type CameraEvent, CameraEvents } from "./event/camera-events.js";
export { TOPICS_MAX } from "./event/event-properties.js";
export { NotificationConsumer } from "./event/notification-consumer.js";
export { NOTIFY_BYTES_MAX } from "./event/notify-listener.js";
export { type EventOffers, OfferedEvents } from "./event/offered-events.js";
export type { GapFillStates } from "./filling/index.js";
export { MaskControl, type MaskState, type Masks } from "./mask/mask-control.js";
export { readIdentity } from "./onvif/device-contact.js";
export { normalIdentity, recorderIdentity } from "./onvif/device-identity.js";
export { type DeviceProof, proveDevice } from "./onvif/device-proof.js";
export { inspectDevice } from "./onvif/inspect-device.js";
export { fetchSnapshot, SNAPSHOT_BYTES_MAX } from "./onvif/snapshot.js";
export {
  NO_PTZ,
  PTZ_AXES,
  type PtzCapabilities,
  type PtzCommand,
  type PtzDone,
  type PtzPreset,
} from "./ptz/ptz-command.js";
export { type Ptz, PtzControl, type PtzRequest } from "./ptz/ptz-control.js";
export type { PtzPosition, PtzTarget } from "./ptz/ptz-position.js";
export { PTZ_HOLD_MS, type PtzUser, ptzRank } from "./ptz/ptz-priority.js";
export type { CameraOutputs } from "./relay/known-outputs.js";
export { RelayControl, type Relays } from "./relay/relay-control.js";
export type { RelayOutput } from "./relay/relay-device.js";
export { SoapClient } from "./soap/soap-client.js";
export { CameraSnapshots } from "./stream/camera-snapshots.js";
export { CameraStreams } from "./stream/camera-streams.js";
export { KeyAsking } from "./stream/key-asking.js";
export { SOURCE_LINGER_MS, type StreamSource } from "./stream/managed-stream.js";
export { type StreamTrial, StreamTrials, TRIAL_MEASURED_MS, TRIAL_MS_MAX } from "./stream/stream-trials.js";
export { ADTS_HEADER_BYTES, aacFormat, adtsHeader, noAdts } from "./talk/adts.js";
export { type Announcement, Announcements, speakAll } from "./talk/announcements.js";
export { LateTalk } from "./talk/late-talk.js";
export type { Speech, SpeechEnd } from "./talk/speech.js";
export type { SpokenFormat } from "./talk/spoken-sound.js";
export type { Speaker, Talk, TalkControlOptions } from "./talk/talk-control.js";
export { SMALLEST_TOKEN_BYTES } from "./xml/xml-cost.js";
export { readDocument } from "./xml/xml-document.js";
export { XmlElement } from "./xml/xml-element.js";
export { XmlReader } from "./xml/xml-reader.js";
export { tokensIn, type XmlBounds, XmlError } from "./xml/xml-tokens.js";
