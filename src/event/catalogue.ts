import type { Guid } from "../base/index.js";
import type { EventCategory, EventType } from "./types.js";

const INFORMATION = 0;
const ALARM = 1;
const ERROR = 2;

function type(id: Guid, category: EventCategory, name: string): EventType {
  return { id, category, name };
}

/**
 * All event types. Ids and members never change and are never removed, because logs, clients and scripts use them.
 * docs/ref/events.md is generated from this table.
 */
export const EVENT_TYPES = {
  // Analytics, with the ids that existing clients know.
  motionDetected: type("00000000-0000-0000-0000-000000000033", ALARM, "Detected Motion"),
  faceRecognized: type("427f1cc3-2c2f-4f50-8865-56ae99c3610d", INFORMATION, "Face recognized"),
  plateRecognized: type("c9d6d086-c965-4cf8-aef6-85b3894e3a4a", INFORMATION, "License plate recognized"),
  fireDetected: type("bcad095a-f2b0-4c20-a7f0-88ee5da703b1", ALARM, "Fire detected"),
  abandonedItemDetected: type("d99a411f-d0a6-42c4-b320-3c2dd0aa0821", ALARM, "Abandoned item detected"),
  emergencyVehicleDetected: type("65afbe3d-41b2-41d2-802a-dbd2a00db0ed", ALARM, "Emergency vehicle detected"),
  // Analytics of nvrd: what analysers find besides plates and faces.
  personDetected: type("5d0c6f7a-91b4-4e3d-a8c2-17f06b9e42d5", INFORMATION, "Person detected"),
  vehicleDetected: type("a83e1f52-0c7d-4b96-8e14-6f2d95b7c038", INFORMATION, "Vehicle detected"),
  objectDetected: type("e94b7d16-38fa-4c05-b2e7-d05a81c3f69e", INFORMATION, "Object detected"),
  // What an external system reports by /command?type=generateexternalevent.
  externalEvent: type("c1f0a6de-3b5d-4f55-9b7a-8a2d6f0e4c31", INFORMATION, "Event of an external system"),
  // Analytics of nvrd.
  motionStarted: type("537355c9-d99c-41cb-8fe3-4281d143d427", INFORMATION, "Motion started"),
  motionEnded: type("69be23a9-f364-4df5-b4b2-eb131cd58860", INFORMATION, "Motion ended"),
  motionDetectorBlind: type(
    "15db8cc8-7449-46ce-adf2-5f31a725218f",
    ERROR,
    "Motion detector cannot see: the channel counts as having motion",
  ),
  motionDetectorSees: type("2f481bdf-0714-4bd9-8015-dc6e3f863aaf", INFORMATION, "Motion detector sees again"),
  // Events from cameras.
  tamperingStarted: type("93798efd-9e74-4efe-8566-3e2e7187a51a", ALARM, "Camera reports tampering"),
  tamperingEnded: type(
    "2c7863d3-c36c-486b-bc80-16b141fb5234",
    INFORMATION,
    "Camera reports end of tampering",
  ),
  inputActivated: type("3ebfb0cd-d496-4fff-9f71-d2b32320dd45", ALARM, "Digital input of camera activated"),
  inputDeactivated: type(
    "0c5d2f35-e4d5-43f4-8b4d-245a65692e06",
    INFORMATION,
    "Digital input of camera deactivated",
  ),
  ruleTriggered: type("16804e15-a21e-4ff0-b4a4-945f22bc186f", ALARM, "Analytics rule of camera triggered"),
  ruleEnded: type(
    "79980a67-499c-4e62-afe0-bf1bf24a3b4d",
    INFORMATION,
    "Analytics rule of camera no longer fulfilled",
  ),
  // What cameras see and hear besides.
  personGone: type("e2a214e8-bbe9-4675-9d52-490575ffc53d", INFORMATION, "Person no longer seen"),
  vehicleGone: type("03aa3897-fcf4-46b6-986c-39e8c7bb69f6", INFORMATION, "Vehicle no longer seen"),
  animalDetected: type("5c22c469-63e9-48fd-a4d4-748ca3c77ebf", INFORMATION, "Animal detected"),
  animalGone: type("b2609a0b-dd2b-4550-8c65-6018eee38dc1", INFORMATION, "Animal no longer seen"),
  faceGone: type("5bd0f521-be84-462b-bb9b-e05d0e8e2329", INFORMATION, "Face no longer seen"),
  plateGone: type("7ea3ef27-e2e9-4528-a4e0-689e1888df20", INFORMATION, "License plate no longer seen"),
  packageDetected: type("5c3981a8-44ab-46d8-bb81-e5e0309e6043", INFORMATION, "Package detected"),
  packageGone: type("0bcc0d1c-d5a9-4145-99ba-695ab78d8387", INFORMATION, "Package no longer seen"),
  lineCrossed: type("e08137f3-3a08-4ec9-9f95-e90587134be1", ALARM, "Line crossed"),
  lineClear: type("6b881677-6b5a-4b73-a944-72d1a7d32946", INFORMATION, "Line no longer crossed"),
  zoneEntered: type("c9ce5ddc-2a52-483e-96df-d21e9d1f5c01", ALARM, "Zone entered"),
  zoneEmpty: type("f41fae4a-5518-483d-a986-47fe161b80de", INFORMATION, "Nobody in the zone any more"),
  zoneLeft: type("6cc3ba50-3183-4d1d-b933-dffe9f578985", INFORMATION, "Zone left"),
  zoneLeftOver: type("dbc01b3d-2ea2-438c-a4e1-66c70794a750", INFORMATION, "Nobody leaves the zone any more"),
  loiteringStarted: type("60b3bedc-e0ec-4dea-bc43-4d6e6054aa24", ALARM, "Somebody loiters"),
  loiteringEnded: type("a0d0861e-4f7e-4353-8227-e820e6a60526", INFORMATION, "Nobody loiters any more"),
  abandonedItemGone: type(
    "b3c478b6-38e6-4772-b86e-d285da543b3d",
    INFORMATION,
    "Abandoned item no longer there",
  ),
  itemTaken: type("449ab166-8186-4856-8c52-9b4839c340b3", ALARM, "Item taken away"),
  itemTakenOver: type(
    "78e8b5bc-efb7-4578-b78e-1ffad9cf7a0c",
    INFORMATION,
    "Item no longer reported as taken away",
  ),
  crowdGathered: type("f03198c4-5f95-4f9c-bef1-2c37ca6cd66c", ALARM, "Crowd gathered"),
  crowdGone: type("0fd539ac-359d-41d6-84b1-1609cef605c9", INFORMATION, "Crowd gone"),
  doorbellRung: type("15c0e0b7-3abb-4e85-b0a0-37efd7376ab4", ALARM, "Somebody rang at the door"),
  doorbellReleased: type("c54a55eb-1601-4892-921f-7305e164f982", INFORMATION, "Doorbell released"),
  screamHeard: type("1d7163de-5cf8-4d93-982e-d19d185f80d2", ALARM, "Scream heard"),
  screamOver: type("64cec5fe-01d8-4fbc-b398-97dbbf44e1ec", INFORMATION, "Scream no longer heard"),
  glassHeard: type("e39626c9-01d6-494c-aa60-2675de5e3a9f", ALARM, "Breaking glass heard"),
  glassOver: type("9b31f6ab-6745-4527-9afa-d5ab4bae8b9b", INFORMATION, "Breaking glass no longer heard"),
  alarmHeard: type("fe399f93-5eab-4c89-a52f-0f9e8e8afc84", ALARM, "Alarm, shot or explosion heard"),
  alarmSoundOver: type(
    "2a2d67ff-f459-4731-9119-cf3b52c7c179",
    INFORMATION,
    "Alarm, shot or explosion no longer heard",
  ),
  soundHeard: type("a92d9e0f-e310-4aee-9817-a1320b6451b0", INFORMATION, "Sound heard"),
  soundOver: type("c46f071b-ca9e-47f6-a232-c00c385aa089", INFORMATION, "Sound no longer heard"),
  cameraCovered: type("8e78e7aa-3569-4d45-8b8e-16a81a6b839b", ALARM, "Camera covered"),
  cameraUncovered: type("89cad3eb-60c1-4c73-b7ef-1c359b20631f", INFORMATION, "Camera no longer covered"),
  cameraMoved: type("f0a389f9-f65b-4c26-aae2-e12a945b3a5a", ALARM, "Camera turned or moved"),
  cameraMovedOver: type(
    "0c337224-7b92-4155-a60a-2f4d9ba2ec66",
    INFORMATION,
    "Camera no longer reports that it was moved",
  ),
  cameraDefocused: type("0c2cf268-bc96-435d-92c9-2b285eb3f861", ALARM, "Camera out of focus"),
  cameraFocused: type("66d665c2-8fe7-46f1-ae55-080acdc9b508", INFORMATION, "Camera in focus again"),
  pirTriggered: type(
    "d719af35-e661-4b3d-ae3b-0baec64e73af",
    INFORMATION,
    "Infrared sensor of camera triggered",
  ),
  pirEnded: type("bf8eaa53-e997-4e41-8f15-51ba755892ae", INFORMATION, "Infrared sensor of camera at rest"),
  relayOn: type("c8ce4055-b068-4f39-a5f2-5b6a091c547b", INFORMATION, "Output of camera on"),
  relayOff: type("0ff98a77-2f76-42fa-b861-240d6e3be66f", INFORMATION, "Output of camera off"),
  fireOver: type("d6322206-9f67-41f9-be9a-20a266e68adc", INFORMATION, "Fire no longer seen"),
  smokeDetected: type("4de44049-0ed5-404c-b869-df0fc700b538", ALARM, "Smoke detected"),
  smokeOver: type("a4e1a33c-997e-4353-9f29-b853c58c2095", INFORMATION, "Smoke no longer seen"),
  temperatureAlarm: type(
    "20ed6099-c4d2-4a1d-a9fa-3fee435a6b7b",
    ALARM,
    "Camera reports a temperature out of its bounds",
  ),
  temperatureNormal: type(
    "c69dc791-de96-42b5-bce1-d6d853295094",
    INFORMATION,
    "Temperature within its bounds again",
  ),
  cameraStorageFailed: type("c1376d8f-9e09-4745-8a0c-06b2af33d15e", ERROR, "Storage in camera fails"),
  cameraStorageWorks: type(
    "cec5b6ed-169c-4394-93de-10030984dc47",
    INFORMATION,
    "Storage in camera works again",
  ),
  cameraLoginRefused: type("d43cdf6c-f260-4176-bdb7-966be5c6b860", ALARM, "Camera refused a login"),
  cameraLoginRefusedOver: type(
    "1b775de5-6f6a-4710-88eb-c874255960ee",
    INFORMATION,
    "Camera no longer reports refused logins",
  ),
  cameraTold: type("10bcfd88-d973-4377-9d6b-f2bf07baca0c", INFORMATION, "Event in the camera's own words"),
  cameraToldOver: type(
    "7c7f5f42-5936-43e6-8b97-5f2935588ecc",
    INFORMATION,
    "Event in the camera's own words is over",
  ),
  // The recorder itself.
  serviceStarted: type("15be8832-b1c4-482c-b9f9-6fbe93829094", INFORMATION, "Recorder started"),
  serviceStopped: type("963cf069-7186-4155-a215-7abe513ac007", INFORMATION, "Recorder stopped"),
  serviceInterrupted: type(
    "6f6f4a0e-2d0b-4b0c-9a55-0f3c8e7d1b62",
    ERROR,
    "Recorder was not stopped in order the last time",
  ),
  apiUnreachable: type("0f44c9d5-7dd0-4926-b7ee-35fd58389351", ERROR, "Recorder cannot be reached over HTTP"),
  apiReachable: type(
    "5ede62c0-7045-4500-941c-ce1be89dd16d",
    INFORMATION,
    "Recorder can be reached over HTTP again",
  ),
  rtspUnreachable: type(
    "cc5815a6-a81c-44cc-94bb-deb99c044f76",
    ERROR,
    "Recorder cannot be reached over RTSP",
  ),
  rtspReachable: type(
    "1ef4ff29-d6f6-4d7c-a366-25714d81462c",
    INFORMATION,
    "Recorder can be reached over RTSP again",
  ),
  configurationChanged: type("2ace606d-1bba-4e74-8c3f-ad939b78fa1d", INFORMATION, "Configuration changed"),
  clockSet: type(
    "0d55d67d-dfc9-4180-a1c4-c5db94c8c7d5",
    INFORMATION,
    "Clock set: times of recordings were corrected",
  ),
  clockStepped: type("a4b688fa-b607-4fcc-b33a-86a9ed4f6ad9", ALARM, "Clock was moved"),
  memoryShort: type("5c2f1d0e-9a34-4d0b-8f57-2b6e0c9d7a18", ERROR, "Memory is short: not everything is done"),
  recorderHeld: type(
    "6e0d4b19-85c7-4a3f-b2d6-1f97c8a05e34",
    ERROR,
    "Recorder was busy: what cameras sent may be lost",
  ),
  memoryEnough: type("e1b7a6c3-4f02-4b8e-9d35-70c8f2a1b964", INFORMATION, "Memory is sufficient again"),
  networkTrial: type("8d0f6a51-3c7e-4b29-9e14-5a2b7c90d3f6", ALARM, "Network settings of the box on trial"),
  networkChanged: type(
    "c47e21b9-60d8-4f3a-8b95-1e7d3a62f0c8",
    INFORMATION,
    "Network settings of the box changed",
  ),
  networkBack: type(
    "5b92e3d7-a1f4-4c60-b7d8-90c6e25f1a43",
    ALARM,
    "Network settings of the box not confirmed: back to those before",
  ),
  directoryTried: type(
    "2f6e80b4-93d1-4a75-b0c8-5d17e9a24f63",
    INFORMATION,
    "Login at the directory tried by an administrator",
  ),
  certificateChanged: type(
    "7a94c3d2-51ef-4b68-9c07-e83b1d5a2f46",
    INFORMATION,
    "Certificate of HTTPS replaced",
  ),
  acmeChanged: type(
    "e0c5b7d9-3a16-4f82-9d47-6b28f1a0c35e",
    INFORMATION,
    "Authority for certificates of HTTPS changed",
  ),
  certificateNotObtained: type(
    "93b1f6e4-7d28-4c05-a8f3-0e64d2c97b1a",
    ALARM,
    "Certificate of HTTPS not obtained from its authority",
  ),
  hubJoined: type("534238a2-0f65-42f6-80ea-1a0f9a28404b", ALARM, "Recorder joined a hub"),
  hubLimitsChanged: type(
    "637b8051-59d6-4141-9b39-64599de162f7",
    INFORMATION,
    "What the hub may do here changed",
  ),
  hubLeft: type("fe3c206d-a377-42fa-a50a-652ff279452a", INFORMATION, "Recorder left its hub"),
  hubUserActed: type("c77eb980-32cd-4fba-8d6a-88f391ec05d7", INFORMATION, "Somebody acted through the hub"),
  boxAdmitted: type(
    "de44abd0-7dd0-4e49-8ade-8d8773f60756",
    INFORMATION,
    "Code for another recorder of this hub made",
  ),
  boxRemoved: type("4aee7e4e-b24b-4a17-9c0b-9fb8795c1a21", INFORMATION, "Recorder removed from this hub"),
  rolloutBegun: type(
    "c2e95d30-4a0c-4a9d-b7d2-5e1f0b8a6f71",
    ALARM,
    "Update of recorders begun from this hub",
  ),
  rolloutStopped: type(
    "8d0b6a1e-93c4-4f58-a2b9-0c7e4d51f3a6",
    INFORMATION,
    "Update of recorders stopped at this hub",
  ),
  partnerCodeMade: type(
    "0f6f0f5e-6a3a-4f7e-9c51-2d8b41c7e0a6",
    INFORMATION,
    "Code for a partner of this recorder made",
  ),
  partnerJoined: type("b8a9c7d2-4e15-4b60-8f3d-71c05e9a26b4", ALARM, "Another recorder became a partner"),
  partnerLeft: type(
    "3d52e8f1-90ab-4c7d-a6e4-58b1f7c3092e",
    INFORMATION,
    "Another recorder is no partner any more",
  ),
  reserveBegan: type(
    "6c1d9e02-85b7-4fa3-b0e9-47d2a6c8f513",
    ALARM,
    "Recorded here for another recorder, which is silent",
  ),
  reserveEnded: type(
    "e94b7a30-1f5c-4d28-86a7-0c3b5d9e72f1",
    INFORMATION,
    "Not recorded here for another recorder any more",
  ),
  replicaShareGiven: type(
    "6d1b94f2-08c7-4a3e-b5d9-7e42f0a6c183",
    INFORMATION,
    "Share of a disk for another recorder's replicas changed",
  ),
  replicasDeleted: type(
    "a2f7c05e-9d31-4b86-8e1c-35b8d64f7092",
    INFORMATION,
    "Replicas of another recorder deleted",
  ),
  pushSubscribed: type(
    "5c0be7a1-2d64-4f38-9b17-80e3f6a9d4c2",
    INFORMATION,
    "Messages to a browser switched on by a user",
  ),
  pushChanged: type(
    "91f4d6b3-07ae-4c52-a6d8-3be5170c9f84",
    INFORMATION,
    "Messages to a browser changed by a user",
  ),
  pushUnsubscribed: type(
    "c83a1e57-64d9-4b0f-8e25-d70f92b6a413",
    INFORMATION,
    "Messages to a browser switched off by a user",
  ),
  restartRequested: type(
    "4d2f8a61-7c93-4b0e-a5d8-1e6b9c04f372",
    INFORMATION,
    "Restart of the recorder requested",
  ),
  boxRestartRequested: type(
    "b8e51c07-3a9d-4f26-8b74-c2d06f9a1e53",
    INFORMATION,
    "Restart of the box requested",
  ),
  boxChanged: type(
    "e60a7c34-9f15-4d82-a3b6-7c48d1f92e05",
    INFORMATION,
    "Name or time zone of the box changed",
  ),
  // Logins.
  login: type("dc14a285-12ea-482e-ac78-b41b42c055a5", INFORMATION, "User logged in"),
  loginFailed: type("22488841-04b9-4d6c-a4a6-6a4d50f47567", ALARM, "Login failed: wrong user or password"),
  lockOut: type("38195d65-8d2e-4c4c-8065-ac5801acdfec", ALARM, "Logins blocked after too many failures"),
  // Cameras and recording.
  cameraLost: type("bc7d747b-f554-4dab-ba36-061cb6675f5d", ERROR, "Connection to camera lost"),
  cameraBack: type("2f1bc69d-73ff-42c6-8033-efc797a70591", INFORMATION, "Connection to camera restored"),
  cameraKeyChanged: type(
    "0d3f5c0e-7d0b-4e39-9a6e-3b8a5c4b9d27",
    ERROR,
    "Camera shows another certificate than before",
  ),
  cameraKeyAccepted: type(
    "b7a1e6c2-52f4-4d1b-8f0a-6c9d3e7f4a18",
    INFORMATION,
    "New certificate of camera accepted",
  ),
  recordingStarted: type("056ba705-a57f-4fd9-901c-7e56ed645ae4", INFORMATION, "Recording started"),
  recordingStopped: type("2c30cb06-44cf-45e1-8256-6e88eeb46fbe", INFORMATION, "Recording stopped"),
  recordingSwitchedOn: type(
    "d24bbbc1-aa57-4ef1-8748-e79a7c3c7479",
    INFORMATION,
    "Recording switched on by a user",
  ),
  recordingSwitchedOff: type(
    "0863d00f-b49d-44c0-8ec3-326a0707be6e",
    INFORMATION,
    "Recording switched off by a user",
  ),
  recordingModeChanged: type("b3b9a1d4-84c6-4a5e-8f0e-5d2c7a90e613", INFORMATION, "Recording mode changed"),
  framesLost: type(
    "d3979599-9023-41bb-bcd7-4050c0e79856",
    ERROR,
    "The camera's stream is incomplete or faulty",
  ),
  framesComplete: type(
    "eadf6e4a-9ad2-4186-be21-a126800599fa",
    INFORMATION,
    "All that the camera sends can be recorded again",
  ),
  // The archive and its disks.
  volumeLost: type("3a5d486b-e42d-49f5-b909-376d4f5bae93", ERROR, "Archive disk lost"),
  volumeBack: type("25f142d4-5407-4cd6-8b31-e7eb9c1cc4d1", INFORMATION, "Archive disk in use"),
  diskFailing: type("ddd62506-3c13-4141-b35d-7971a57b32b9", ERROR, "Disk reports that it is failing"),
  diskWorn: type("2791726b-6d8d-4244-b8a2-eade80709d38", ALARM, "Disk nears the end of its life"),
  diskWell: type("16f1d794-78b0-4a40-9006-ba7380583332", INFORMATION, "Disk reports good health again"),
  diskSilent: type("65f877b9-ecf2-4c52-ba49-125a496a8049", ALARM, "Disk no longer reports its health"),
  diskHot: type("ad5df4ea-18e4-40c8-a986-0d5d37fc3fe9", ALARM, "Disk is too hot"),
  diskCool: type("58c90ea7-d2ef-44ca-8393-122fbbdf41e8", INFORMATION, "Disk has cooled down"),
  diskVanished: type("2e3203f3-d83c-46f6-89d2-ce132509ea23", ERROR, "Disk is gone"),
  diskAppeared: type("9eea405d-70af-4c29-ac4a-af35c987d1d9", INFORMATION, "Disk was found"),
  diskFormatted: type("fe1c73d4-5d05-4a5f-b13a-2a7d36d04ce1", ALARM, "Disk formatted for recordings"),
  volumeAdopted: type("7f0b4d52-6f0d-4c55-9d0a-1f8f6f2a9c43", INFORMATION, "Archive disk adopted"),
  volumeRetired: type(
    "b62a8d0e-94d3-4b9c-8a53-0d1f47c2e7a9",
    INFORMATION,
    "Archive disk retired: nothing new is recorded onto it",
  ),
  volumeCalledBack: type(
    "0a9d6e7c-13f5-4c1e-a2b8-5e64c7d9f310",
    INFORMATION,
    "Archive disk is recorded onto again",
  ),
  volumeForgotten: type(
    "d41f2b8c-7a36-4e05-b9c1-63f0a8e25d74",
    ALARM,
    "Archive disk forgotten: its recordings were removed from the archive",
  ),
  volumeFull: type(
    "f4635792-c703-4161-9014-81608d888366",
    ERROR,
    "Archive disk full: nothing is left that may be removed",
  ),
  volumeTooSmall: type(
    "0b9d546d-a8cc-400c-b50e-1e6b370e1b50",
    ERROR,
    "Archive disk keeps nothing: what is to stay free leaves no room for recordings",
  ),
  volumeFullEnded: type("b1ce299f-7d32-487e-81d0-7b6c0f9cf391", INFORMATION, "Archive disk has room again"),
  thinningStarted: type(
    "39a4502f-fd7c-4649-b0f0-cfc46ae5b1ce",
    ERROR,
    "Archive overloaded: only key frames are recorded",
  ),
  thinningEnded: type(
    "60b5c86a-dee0-476f-bfed-080dabe3fc60",
    INFORMATION,
    "Archive records all frames again",
  ),
  droppingStarted: type(
    "42eb2610-3b48-48ec-89aa-31656ae15ff2",
    ERROR,
    "Archive overloaded: recording is interrupted",
  ),
  droppingEnded: type("10b4e3c2-cab0-4747-95ea-9aa229e83b95", INFORMATION, "Archive records again"),
  minDaysUnmet: type(
    "ac729a05-b468-479e-badb-50cf24ab71fd",
    ALARM,
    "Archive is shorter than the camera's minimum of days",
  ),
  minDaysMet: type(
    "9233ae5a-9cbd-4c6b-9aa9-eee0b52dfb44",
    INFORMATION,
    "Archive meets the camera's minimum of days again",
  ),
  indexLost: type("b7b2bc14-a560-4a02-9c99-376a2cc0cf79", ERROR, "Archive index lost: it is being rebuilt"),
  indexRebuilt: type("bd86c0c0-c412-4bc7-872f-0194a1a5bd89", INFORMATION, "Archive index rebuilt"),
  indexFailing: type("1796c589-74a2-47aa-a734-308ff5dbd2a5", ERROR, "Archive index cannot be written"),
  indexWorks: type("dbe900e5-60e1-42f4-b40f-f8da86d50763", INFORMATION, "Archive index can be written again"),
  protectionUnknown: type(
    "6b0f5c83-9d1e-4a7c-8f26-d3e0a4571b98",
    ERROR,
    "List of protected recordings damaged: nothing is deleted until it is known again",
  ),
  protectionKnown: type(
    "c87a1e42-305d-4f69-b1d8-7e92c06f4a53",
    INFORMATION,
    "List of protected recordings known again",
  ),
  bookmark: type("b0a5f7c2-6d34-4e1b-9c58-2f7d1e93a064", INFORMATION, "Bookmark"),
  archiveProtected: type(
    "a3eade46-8cae-49c5-9c70-7d54c6e6c986",
    INFORMATION,
    "Recordings protected from removal",
  ),
  archiveProtectionLifted: type(
    "d72edfe0-ebd2-48fe-a90a-522f8ea92780",
    INFORMATION,
    "Protection of recordings lifted",
  ),
  archiveGiven: type(
    "5e0c7b3a-94d6-4f18-a2c5-8d31f7b6e094",
    INFORMATION,
    "Recordings of a former camera given to another camera",
  ),
  archiveTakenBack: type(
    "f2a86d14-0b7e-4c95-93d8-61e5a94c07bd",
    INFORMATION,
    "Recordings of a former camera taken back from another camera",
  ),
  archiveDeleted: type("0047e6f2-d867-473d-8892-d15e5eb1a614", ALARM, "Recordings deleted"),
  exportMade: type("e4cb2ae0-727e-40ca-ae56-b3d7977f26ec", INFORMATION, "Recordings exported"),
  fileLinkMade: type(
    "7d1f0b94-52c8-4a36-9e0d-b6834f21c75a",
    INFORMATION,
    "Link to a file of recordings made",
  ),
  fileLinkRevoked: type(
    "c3e86a27-0f9b-4d15-8a74-29d7e5b01f68",
    INFORMATION,
    "Link to a file of recordings taken back",
  ),
  fileLinkOpened: type(
    "15b9d4e3-68a0-4f7c-b2d1-e07c93a58f46",
    INFORMATION,
    "Link to a file of recordings opened without a login",
  ),
  fileLinkRefused: type(
    "a86c2f71-d3b4-49e5-8f10-54e9b7c6d203",
    ERROR,
    "Link to a file of recordings: wrong password",
  ),
  // The event log.
  eventLogLost: type(
    "2bf6408c-ee8a-4b9b-8a25-78ae43e10e5e",
    ERROR,
    "Event log damaged: a new one was created",
  ),
  eventLogFailing: type("0fc34d64-08f5-4fc0-9dff-aa46c6dd1069", ERROR, "Event log cannot be written"),
  eventLogWorks: type("74720286-19df-41f9-8def-4ba531da63bf", INFORMATION, "Event log can be written again"),
  eventsDropped: type(
    "af9d9959-ffd0-40bf-8080-d9a292af6563",
    ERROR,
    "Events dropped: the event log could not be written for too long",
  ),
  // Alarm targets.
  alarmsFailing: type("17e8f2ac-db27-4e1b-95a8-ac9f636abbb1", ERROR, "Alarms cannot be sent"),
  alarmsWork: type("a144b4f7-f71c-42c1-b3a6-df4720f2f0d0", INFORMATION, "Alarms can be sent again"),
  // Recordings off the box.
  awayFailing: type("3d9a1c58-7f02-4e6b-9b41-c05e82d7a6f3", ERROR, "Recordings do not go off the box"),
  awayWorks: type("b81f6e24-0d3c-4a97-8e52-6f1d94c3b7a0", INFORMATION, "Recordings go off the box again"),
  awayMissed: type(
    "62c07d9f-e4b1-4358-a0d6-1b9f3e58c274",
    ERROR,
    "Recordings were deleted before they went off the box",
  ),
  awayDamaged: type(
    "e75b40a3-9c16-4df8-b2e7-83a06c5d1f49",
    ERROR,
    "Recording in object storage is missing or changed",
  ),
  awayLocked: type(
    "a4f1d0c7-52b8-4e39-9d06-7c3b8e15f290",
    INFORMATION,
    "Recordings in object storage locked",
  ),
  awayLockLifted: type(
    "0b9e63d5-c8f4-4a17-8e2b-d165a07c394f",
    INFORMATION,
    "Lock of recordings in object storage lifted",
  ),
  awayLockFailing: type(
    "d37c82e9-14ab-4f60-b5d8-29f0e6a1c784",
    ERROR,
    "Recordings in object storage cannot be locked",
  ),
  awayRulesSet: type(
    "68b7a0df-2ffc-441b-8727-5cce088cf140",
    INFORMATION,
    "Lifecycle rules of object storage set",
  ),
  // The MQTT broker.
  mqttLost: type("b2d5a1c8-6f47-4e0b-93d6-4c8e0f7a1b25", ERROR, "MQTT broker cannot be used"),
  mqttBack: type("3e9c7f10-85ab-4d62-b1e4-9a6d2c5f8037", INFORMATION, "MQTT broker is used again"),
  mqttCommand: type("94f0b6e3-1d28-4c75-a7f9-5b3e8d6c2a01", INFORMATION, "Command over MQTT"),
  gapFilled: type(
    "6a1d0c57-3e94-4b7f-9d28-c05f1e8b7a42",
    INFORMATION,
    "Gap of recording filled from camera's own archive",
  ),
  gapGivenUp: type(
    "e93b5f10-78a2-4c6d-b1e4-27d9f06c8a53",
    ERROR,
    "Gap of recording cannot be filled from camera's own archive",
  ),
  outputSwitched: type(
    "6c7befaf-d2f7-41f1-af3a-171b3c579596",
    INFORMATION,
    "Digital output of camera switched",
  ),
  privacyMasksChanged: type(
    "e0b47c95-2f61-4d8a-b3c7-58a16d9f0e42",
    INFORMATION,
    "Privacy masks of camera changed",
  ),
  announcementAdded: type(
    "38bcab3e-8a9f-4266-b37d-8768b6f538c7",
    INFORMATION,
    "Announcement added by a user",
  ),
  announcementRemoved: type(
    "61f687dc-dff0-4f7a-bd42-91a22fff9cf2",
    INFORMATION,
    "Announcement deleted by a user",
  ),
  talkStarted: type("1d0c9f5e-6b7a-4c38-9e24-7f5a3b8d60c1", INFORMATION, "Sound to camera: begun"),
  talkEnded: type("a5e27c84-31f9-4d06-b8a3-0c96d4e1f752", INFORMATION, "Sound to camera: ended"),
  // Analysers of pictures.
  analyserFailing: type("17c4d8e3-5fa9-4b20-96d1-8b3e0f72ac54", ERROR, "Analyser of pictures cannot be used"),
  analyserWorks: type(
    "c25f90ab-7e16-4d83-b0f4-3a9d6c81e72f",
    INFORMATION,
    "Analyser of pictures is used again",
  ),
  // The monitoring service.
  monitoringFailing: type(
    "c60964b7-0da7-4479-b54c-98bb931e85f4",
    ERROR,
    "Monitoring service cannot be reached",
  ),
  monitoringWorks: type(
    "2f67c975-1175-4fb2-9bda-174858afddc0",
    INFORMATION,
    "Monitoring service is reached again",
  ),
  // Scenarios.
  scenarioStarted: type("0c701feb-c379-4a12-b964-b9dbcf0dbf78", INFORMATION, "Scenario started"),
  scenarioEnded: type("cb7b9306-62b3-4169-b995-00748eb8682f", INFORMATION, "Scenario ended"),
  scenarioFailed: type("47a1cff3-8888-4c84-9427-8f1ae48d6395", ERROR, "Scenario failed"),
  scenarioAlarm: type("46ebb87e-0b6d-4b4c-a796-7093a6b2fd41", ALARM, "Alarm of a scenario"),
  scenarioEvent: type("db5bffbb-8e4f-4405-a56b-11aec4f877bb", INFORMATION, "Event of a scenario"),
  // Long work.
  taskStarted: type("5b0d2f0c-8c1e-4f39-9a77-6c1e2b7d4a10", INFORMATION, "Long work started by a user"),
  taskEnded: type("c7a4e9b2-31d6-4d8e-b5f0-0e9a6f8d2c53", INFORMATION, "Long work ended"),
  // Updates of the whole system.
  updateInstalled: type(
    "fc55cc48-7a7e-49b8-80c2-9ba360cd5a3d",
    INFORMATION,
    "Update installed: restarting into it",
  ),
  updateKept: type("b05d7a41-f68c-4e14-be0b-a16260d79bee", INFORMATION, "Update kept"),
  updateRolledBack: type(
    "00e4930c-f739-456f-a6f8-ea6d32a2add7",
    ERROR,
    "Update rolled back: the former version runs again",
  ),
  updateFailed: type("85525666-e819-4f5c-85af-be52bc65db73", ERROR, "Update not installed"),
  // Not stored: sent on /event when there are no other events.
  keepAlive: type("8b81fa4c-89d9-4b27-a234-709407dee294", INFORMATION, "Connection is alive"),
} as const satisfies Readonly<Record<string, EventType>>;

export type EventTypeName = keyof typeof EVENT_TYPES;

/** The catalogue as a list, in its order. */
export const EVENT_TYPE_LIST: readonly EventType[] = Object.values(EVENT_TYPES);

const TYPES_BY_ID: ReadonlyMap<Guid, EventType> = new Map(EVENT_TYPE_LIST.map((known) => [known.id, known]));

/** The type with this id, in any letter case; undefined when there is none. */
export function eventTypeOf(id: Guid): EventType | undefined {
  return TYPES_BY_ID.get(id) ?? TYPES_BY_ID.get(id.toLowerCase());
}
