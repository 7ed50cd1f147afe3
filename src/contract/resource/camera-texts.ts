import type { TextsOf } from "../kinds/texts.js";
import type { camera, cameraAnalysis, cameraArchive, cameraConnection, cameraStream } from "./camera.js";

/** What is said of the members of cameras, beside their kinds. */

const ROTATES = "How decoded pictures of the stream are rotated. Also in `/configex`.";

export const cameraStreamTexts: TextsOf<typeof cameraStream> = {
  VideoStreamEnabled:
    "Connects or disconnects the stream. Main is always on. Default: whether there is a URL.",
  VideoFormat: "As `MainVideoStreamFormat`.",
  VideoAdditionalParams: "As `AltVideoAdditionalParams`. A stream that gets its first URL is on. Reconnects.",
  RotationMode: ROTATES,
  Roles: "`Archive`: this stream is recorded. See the rules above.",
};

export const cameraConnectionTexts: TextsOf<typeof cameraConnection> = {
  ModelId:
    "How the camera is addressed: an id of [`/configure/devicemanufacturers`](#get-configuredevicemanufacturers). Required, in PUT too.",
  Hostname:
    'Model "RTSP/RTP device": the whole `rtsp://` or `rtsps://` URL of the main stream. Other models: host name or address, with or without a port, or an `http://` URL. Required in POST, and in PUT if the new model uses another kind of connection. Reconnects.',
  Login: "Reconnects.",
  Password: "Always null in answers. Reconnects.",
  MainVideoStreamFormat:
    "ONVIF: which profile; when left out, as the device sends. It fills `{codec}` in the path of a [model](models.md). What is recorded is what the camera sends.",
  AltVideoStreamFormat: "As `MainVideoStreamFormat`.",
  AltVideoStreamEnabled:
    "Connects or disconnects the stream. When left out: whether there is a URL; ONVIF, without any stream settings: as the device offers.",
  MainVideoAdditionalParams:
    '"RTSP/RTP device": empty, because the URL is `Hostname`. Other models: as `AltVideoAdditionalParams`. Reconnects.',
  AltVideoAdditionalParams:
    '"RTSP/RTP device": the `rtsp://` or `rtsps://` URL of the stream; empty: none. Other models: parameters for the query of the stream\'s address (`fps=5&x=1`), or a whole URL in its place. Reconnects.',
  MainStreamRotationMode: ROTATES,
  AltStreamRotationMode: ROTATES,
  SoundReceivingEnabled: "Asks the camera for the sound that it sends.",
  PtzEnabled:
    "The camera may be moved by [`/ptz`](#get-and-post-ptz). `/configex` shows it where the model has PTZ.",
  SoundTransmittingEnabled: "Users may [speak](#talking) to the camera, and announcements are played there.",
  IoProcessingEnabled:
    "Digital inputs of an ONVIF device raise events, and its [outputs](#get-apichannelsidoutputs) can be switched.",
  SoundVolume:
    "How loud the camera plays what is sent to it: the loudspeaker's level where ONVIF can set it, else what is sent is made softer.",
  Ipv6Enabled: "False: connects only to IPv4 addresses.",
  MultiChannelServerEnabled: "The channel number is used, where the model can be one of several channels.",
  MultiChannelServerChannelNum: "Which video source of the device, counted from 1.",
  ExternalNetworkPorts:
    "Ports of a router mapped to the device's ports. Each `DefaultPortValue` may occur once. The list replaces the old one. Empty by default.",
  IsSecureConnectionEnabled:
    "True: connects by TLS only (HTTPS, RTSPS), or not at all. Refuses `rtsp://` and `http://` URLs.",
  RedirectToOtherHostsEnabled:
    "True: an RTSP redirect of the camera may lead to another host, without login and password. An addition of nvrd's.",
  ClearPassword: "True takes the password away.",
  AcceptDevice:
    "True takes whichever device answers at the address now for the camera, after it was replaced.",
};

export const cameraArchiveTexts: TextsOf<typeof cameraArchive> = {
  ArchivingDisabled: "Ends or begins recording.",
  ArchivingMode:
    "When the channel is recorded. `OnlyManual`: when started by [a user](#post-apichannelsidrecording). `BySchedule`: by `Schedule`. `MDandManual`: on motion, and when started by a user.",
  ArchivingVideoStreamType: "Which stream is recorded.",
  ArchivingMinDeepnessInDays:
    "Days that recordings are kept at least, if space allows. 0: no limit. Not more than the maximum.",
  ArchivingMaxDeepnessInDays: "Days after which recordings are deleted. 0: no limit.",
  ArchivingSoundDisabled: "Records without audio.",
  PreMotionDetectionRecSecs: "Seconds recorded before motion.",
  PostMotionDetectionRecSecs: "Seconds recorded after motion.",
  LimitRecordFpsAndOnlyIndepFramesEnabled: "Records only independent frames.",
  LimitedRecordFps:
    "With it: maximum number of these frames per second, also fractional. 0: all. Never less than one in 5 s.",
  Schedule: "When `BySchedule` records. Null: always. An addition of nvrd's, and always in answers.",
  DeviceArchiveEnabled:
    "What an ONVIF camera keeps on its own card can be looked at: [devicearchive](#get-apichannelsiddevicearchive).",
  DeviceArchiveAutoSynchronizationEnabled:
    "With `DeviceArchiveEnabled`: gaps of the recording (camera lost, recorder stopped or without power) are filled from there.",
};

/** `jsonMax`: characters of what has no members of its own. */
export const cameraAnalysisTexts = (jsonMax: number): TextsOf<typeof cameraAnalysis> => ({
  MotionDetectorEnabled:
    "[Motion detection](../design/motion.md) by the recorder or by the camera. True in a new camera where it is left out.",
  MotionDetectorSettings:
    "Null when left out: the recorder detects motion until the camera itself reports some; from then on the camera does.",
  "MotionDetectorSettings.BuildInCameraDetectorEnabled":
    "Leaves detection to the camera: motion that an ONVIF camera reports counts, with or without `MotionDetectorEnabled`.",
  "MotionDetectorSettings.DetectOnlyIndependentFrames": "The recorder analyzes only key frames.",
  "MotionDetectorSettings.CustomFpsEnabled": "`CustomFpsValue` counts.",
  "MotionDetectorSettings.CustomFpsValue":
    "Pictures per second that the recorder analyzes. 0, or not enabled: 5.",
  "MotionDetectorSettings.GenerationOfEventMotionStartAndEndEnabled":
    "Motion is reported with its start and its end.",
  "MotionDetectorSettings.Zones": `The analyzed area: [motion zones](motion-zones.md), or JSON of another form; up to ${jsonMax} characters. Null clears them, in PUT too; left out, they stay as they are.`,
  AnalyzeStreamType:
    "The stream that the recorder analyzes. Default: `Alternative` where that is on, else `Main`.",
  FaceDetectorEnabled:
    "Faces are looked for by an [analyser](analysers.md) that does that. Without one nothing looks for them.",
  FaceDetectorMode: "`OptimizedQuality`: analysers get the picture of the main stream.",
  InteractiveSearchEnabled:
    "What [analysers](analysers.md) find here is searched by [`/api/findings`](#get-apifindings), and objects besides persons and vehicles become events too.",
  ObjectDetectionSettings:
    "An addition of nvrd's: what the recorder itself [looks for](objects.md) in the pictures of `AnalyzeStreamType`, where something moves. Given where something was chosen. Null: the defaults; left out of a change: as they are.",
  "ObjectDetectionSettings.Mode":
    "`Auto`: where the machine has four processors and 2 GB and does enough looks a second. `/api/health` says what it would take.",
  "ObjectDetectionSettings.Kinds": "What is looked for. Null: all.",
  "ObjectDetectionSettings.MinScore": "Percent of certainty that a thing begins with.",
  "ObjectDetectionSettings.Scores": "What differs for single kinds.",
  "ObjectDetectionSettings.Scores.Kind": "One of the kinds.",
  "ObjectDetectionSettings.Scores.MinScore": "For this kind, in place of the camera's.",
  "ObjectDetectionSettings.Scores.MinSize":
    "Percent of the picture that a thing of this kind must fill; the camera's counts too.",
  "ObjectDetectionSettings.Scores.MaxSize":
    "Percent of the picture that a thing of this kind may fill; the camera's counts too.",
  "ObjectDetectionSettings.MinSize": "Percent of the picture that a thing must fill.",
  "ObjectDetectionSettings.MaxSize": "Percent of the picture that a thing may fill.",
  "ObjectDetectionSettings.LoiteringSeconds":
    "How long a thing is in a zone before it loiters; without zones, in the picture. 0: nothing loiters.",
  "ObjectDetectionSettings.Lines": "Lines that things cross, in parts of the picture as it is shown.",
  "ObjectDetectionSettings.Lines.Name":
    "Reported with each crossing; no two lines of a camera have the same.",
  "ObjectDetectionSettings.Lines.X1": "The first point, from the left.",
  "ObjectDetectionSettings.Lines.Y1": "From the top.",
  "ObjectDetectionSettings.Lines.X2": "The second point.",
  "ObjectDetectionSettings.Lines.Y2": "From the top.",
  "ObjectDetectionSettings.Lines.Direction":
    "Which crossings count, seen from the first point to the second.",
  "ObjectDetectionSettings.Lines.Kinds": "Whose crossings count. Null: of all that is looked for.",
  CameraEventSettings:
    "An addition of nvrd's: which [kinds](camera-events.md) of what the camera reports are used. Given where something was chosen. Null: the defaults; left out of a change: as they are.",
  "CameraEventSettings.Marked": "Those that become events. Null: all.",
  "CameraEventSettings.Recorded":
    "Those that count like motion where the channel is recorded on motion; motion itself is taken by `BuildInCameraDetectorEnabled`. Null: with that, all that report somebody or something; without it, none.",
  InteractiveSearchSettings: `Any JSON of up to ${jsonMax} characters, or null. The members \`Labels\` (a list: only these objects) and \`MinConfidence\` (percent) count.`,
});

export const cameraTexts: TextsOf<typeof camera> = {
  Id: "Identifies the camera. Created by the server: left out, null, empty or all zeros in POST. Required in PUT of a list.",
  Name: "The name that users see, and that `channel` of [`/video`](#get-video) takes. When left out of POST: the host of `Hostname`.",
  Disabled: "Disconnects the camera.",
  "ServerBindingsSettings.OwnerServerId":
    "This server's id, `SenderId` of [`/configex`](#get-configex); another one is 400. Required in POST.",
  "ServerBindingsSettings.ReservedServerId":
    "A [partner](../guide/fleet.md#a-reserve)'s id: it records the camera while this server is silent. Null clears it.",
  "ServerBindingsSettings.ReplicationServerId":
    "The id of a [partner](#get-apifleetpartners) that gets all that is recorded of the camera, and gives it back. Null: none.",
  ParentSecObjectId: "The folder the camera is in. When left out of POST: the root.",
  Description: "Free text. May have tabs and line breaks.",
  "MapSettings.Latitude": "`GeoPosition` of /configex. Both or neither. Null clears them, in PUT too.",
  "MapSettings.Longitude": "As `Latitude`.",
  "MapSettings.Azimuth":
    "`GeoPosition.Azimuth` of /configex: where the camera looks, in degrees clockwise from north. 0 when left out of POST; null makes it 0.",
  "MapSettings.IsOnMap":
    "False leaves `GeoPosition` out; true needs a position. When left out: whether there is a position. Always in answers.",
};

/** A week, as `Schedule` of the archive settings has it. */
export const scheduleText = (): string =>
  [
    "A week in the server's local time. Days that are left out or empty have no recording, and `{}` has none at all.",
    "`From` and `To` are `HH:mm`, `To` up to `24:00` and later than `From`. A range beyond midnight continues as a range of the next day.",
    "Ranges of a day must not overlap. A schedule replaces the previous one.",
    "Times are local wall-clock times: an hour skipped by daylight saving time is not recorded, a repeated one is recorded twice.",
    'An example: `{"Monday": [{"From": "08:00", "To": "12:00"}, {"From": "13:00", "To": "18:00"}], "Saturday": [{"From": "00:00", "To": "24:00"}]}`.',
  ].join(" ");
