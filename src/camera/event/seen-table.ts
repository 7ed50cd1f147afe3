import type { SeenKind } from "../../base/index.js";

/** What words of a topic, of an item's name or of a value stand for. */
export interface SeenRow {
  /** Undefined: the camera's housekeeping, which is not reported. */
  readonly kind: SeenKind | undefined;
  /** Tested against words in lower case: `line cross detector`. */
  readonly words: RegExp;
  /** Who says it so: maker or program, and where that is written down. */
  readonly from: string;
}

const row = (kind: SeenRow["kind"], words: RegExp, from: string): SeenRow => ({ kind, words, from });

/**
 * What cameras call what they see, the first row that fits counts. Each part of a topic is looked up, the last one first, then
 * names of items and words of values. docs/ref/camera-events.md is made from this table.
 */
export const SEEN_TABLE: readonly SeenRow[] = [
  row("fire", /\b(?:fire|flame)/, "Hanwha IVA/Fire; ONVIF Analytics, FireDetector; thermal Hikvision"),
  row("smoke", /\bsmoke(?! (?:and )?(?:phone|call))/, "Hanwha IVA/Smoke; ONVIF Analytics, SmokeDetector"),
  row("scream", /\b(?:scream|shout|yell)/, "Hanwha AudioAnalytics/SoundClassification; Axis Audio Analytics"),
  row("glass", /\bglass/, "Hanwha AudioAnalytics/SoundClassification; Reolink and Tapo glass break"),
  row(
    "soundAlarm",
    /\b(?:gun ?shot|explosion|siren|alarm sound|sound alarm)/,
    "Hanwha AudioAnalytics/SoundClassification; Tapo alarm sound",
  ),
  row(
    "refusedLogin",
    /\b(?:illegal (?:access|login)|login (?:fail|error|refused)|auth\w* fail|access denied|password error|blocked ip)/,
    "Dahua and Hikvision UserAlarm/IllegalAccess; axis VAPIX, AuthenticationFailure and Network/BlockedIP",
  ),
  row(
    "storageFailure",
    /\b(?:storage (?:fail|disruption|alert|exception|full|error|lost|not exist|low space)|(?:disk|sd ?card|hdd|hard ?disk|nas) ?(?:fail|full|error|abnormal|removed|exception|not exist|low space))/,
    "home-assistant onvif parsers, Device/HardwareFailure/StorageFailure; Axis Storage/Disruption; Hikvision diskfull; Dahua StorageNotExist and StorageLowSpace",
  ),
  row(undefined, /\breadings?$/, "ONVIF Thermal, Radiometry/BoxTemperatureReading: a value each second"),
  row(
    "temperature",
    /\b(?:temperature|over ?heat|thermometry|radiometry)/,
    "ONVIF Thermal, RuleEngine/Radiometry/TemperatureAlarm; Axis Device/Status/Temperature",
  ),
  row(
    undefined,
    /\b(?:counter|counting|count|occupancy)\b/,
    "home-assistant/core #38033, CountAggregation/Counter",
  ),
  row(
    "doorbell",
    /\b(?:visitor|door ?bell|bell button|ring(?:ing)?(?! (?:power|tone))|call (?:button|request)|someone rang|camera bell)\b/,
    "Reolink MyRuleDetector/Visitor; Mobotix VideoSource/Alarm Ring (scrypted); Hanwha Trigger/CallRequest",
  ),
  row(
    "plate",
    /\b(?:license|licence|number) ?plate|\b(?:anpr|alpr|alpv|lpr|plate)\b/,
    "ONVIF Analytics, Recognition/LicensePlate; Axis ALPV; Hanwha and Vivotek LPR",
  ),
  row(
    "face",
    /\bfaces?\b|\bface ?(?:detect|recogn)/,
    "Reolink MyRuleDetector/FaceDetect; Hikvision FaceDetector",
  ),
  row(
    "loitering",
    /\bloiter|\bdwell|\bwander/,
    "Axis LoiteringGuard; Hanwha IVA/LoiteringDetection; Dahua WanderDetection; ONVIF Analytics, ObjectIsLoitering",
  ),
  row(
    "objectLeft",
    /\b(?:object|item|luggage|baggage)s? ?(?:is )?(?:left|leave|leaving|abandon|unattended|dropped)|\b(?:idle ?object|abandon|unattended|left ?(?:object|item|behind)|appear(?:ing)?\b)/,
    "Hikvision unattendedBaggage; Dahua LeftDetection; Vivotek UnattendedObject; Hanwha IVA Appear",
  ),
  row(
    "objectLeft",
    /^left detect|\bobjects? (?:token|taken) or (?:leave|left)/,
    "Dahua IVS LeftDetection; onvif-go topics, ObjectDetector/ObjectsTokenOrLeave",
  ),
  row(
    "objectTaken",
    /\b(?:object|item|luggage|baggage)s? ?(?:is )?(?:taken|token|tak(?:e|ing)|remov|missing|stolen)|\b(?:taken away|missing object|attended baggage|remov(?:ed|al)|disappear(?:ing)?\b|take detect)/,
    "Hikvision attendedBaggage; Dahua TakenAwayDetection; Vivotek MissingObject; Hanwha IVA Disappear",
  ),
  row(
    "crowd",
    /\b(?:crowd|gather|rioter|queue|people density)/,
    "Dahua RioterDetection and CrowdDetection; Vivotek CrowdDetection; Hikvision CrowdDetector/Gathering",
  ),
  row(
    "zoneEntered",
    /\bcross ?region|\binside or outside\b/,
    "Dahua IVS CrossRegionDetection; onvif-go topics, FieldDetector/ObjectsInsideOrOutside",
  ),
  row(
    "lineCrossed",
    /\b(?:line|fence|wire) ?(?:is )?(?:cross|detect|passing)|\bcross(?:es|ed|ing)?\b|\bcross ?(?:line|fence)|\b(?:trip ?wire|virtual line|passing|fence guard|perimeter line)/,
    "home-assistant onvif parsers, LineDetector/Crossed; Tapo LineCross; Avigilon ObjectCrosses; Axis FenceGuard",
  ),
  row(
    "zoneLeft",
    /\b(?:exit(?:ed|ing|s)?|leav(?:e|ing)|outside)\b|\b(?:region|zone|area|field) ?exit/,
    "Hikvision regionExiting; Hanwha IVA Exit; ONVIF FieldDetector/Outside",
  ),
  row(
    "zoneEntered",
    /\b(?:intrusion|intrud(?:er|es?|ed|ing)|enter(?:ed|ing|s)?|objects? inside|is inside|inside|objects? in (?:field|zone|area|region)|field ?detect\w*|region ?entrance|restricted (?:zone|area))\b/,
    "home-assistant onvif parsers, FieldDetector/ObjectsInside; Bosch IVA/ObjectInField; Hikvision regionEntrance; Vivotek RestrictedZoneDetection",
  ),
  row(
    "person",
    /\b(?:people|persons?\b|human|pedestrian|body detect)|\b(?:man|woman|child)\b/,
    "Uniview UserAlarm/IVA/HumanShapeDetect; Reolink PeopleDetect; Tapo IsPeople; ONVIF ObjectType",
  ),
  row(
    "vehicle",
    /\bvehic(?:le|al)|\bpark(?:ed|ing)\b|\b(?:cars?|trucks?|bus(?:es)?|bicycles?|bikes?|motorcycles?|motorbikes?|van)\b/,
    "VehicleAlarm/IVB/VehicleDetect of clones; Reolink VehicleDetect; Tapo IsVehicle; Axis Object Analytics; Dahua ParkingDetection",
  ),
  row(
    "animal",
    /\banimal|\b(?:pets?|dogs?|cats?|birds?|wildlife)\b|\bpet ?detect|\b(?:dog ?cat|cat ?dog)/,
    "Reolink MyRuleDetector/DogCatDetect; Tapo IsPet; ONVIF ObjectType Animal",
  ),
  row("package", /\b(?:package|parcel)/, "Reolink MyRuleDetector/Package; Amcrest doorbells"),
  row("pir", /\b(?:pir|passive infrared)\b/, "Axis Device/Sensor/PIR; Reolink PIR"),
  row(
    "covered",
    /\b(?:cover(?:ed|ing)?|occlu\w*|shelter\w*|blind(?:ed|ing)?|block(?:ed|ing)?|mask(?:ed|ing)|mask ?alarm|video ?shield)\b/,
    "Hikvision shelteralarm and MaskAlarm; Dahua VideoBlind; Uniview CoverDetection",
  ),
  row(
    "moved",
    /\b(?:redirect|camera ?mov(?:ed|ing|ement)|mov(?:ed|ing) ?camera|reposition|angle chang)/,
    "Axis camera tampering, redirected; Dahua MovedCamera; Vivotek, redirected",
  ),
  row(
    "defocused",
    /\b(?:blur|de ?focus|out of focus|unfocus)/,
    "home-assistant onvif parsers, ImageTooBlurry; Hikvision defocus; Hanwha DefocusDetection",
  ),
  row(
    "tampering",
    /\btamper|\bsabotage|\bvandal|\bglobal ?scene ?change|\bscene ?chang|\bshock|\bcasing open|\bimage too (?:dark|bright)|^(?:cut|short(?: circuit)?)$/,
    "home-assistant onvif parsers, TamperDetector and GlobalSceneChange; Axis Tampering, Casing/Open, ShockDetected, SupervisedPort (cut, short)",
  ),
  row(
    undefined,
    /\bconfigurations?\b|^(?:media\d?|recording(?! service)|recording (?:config|history)|connector|monitoring|ptz|ptz (?:controller|control)|advance ?security|video encoder|audio encoder|audio control|schedule|recurring|light|mqtt|heart ?beat|live stream accessed|day night(?: vision)?|abr|profile changed|system ready|clock synchronization|last \w+|operation mode|internal data|xinternal data|operating time|processor usage)\b/,
    "ONVIF Core, Monitoring, Media, RecordingConfig; Axis SystemReady, LiveStreamAccessed, DayNightVision",
  ),
  row(
    "relay",
    /\b(?:relays?|digital outputs?|output port|alarm out(?:put)?)\b(?!.*fail)/,
    "home-assistant onvif parsers, Device/Trigger/Relay; Hanwha DigitalOutput; Axis IO/OutputPort",
  ),
  row(
    "input",
    /\b(?:digital inputs?|alarm ?in(?:put)?\d*|virtual (?:input|port)|input port|supervised port|manual trigger|external alarm|port state)\b|^port$/,
    "home-assistant onvif parsers, Device/Trigger/DigitalInput; AlarmIn of clones; Axis IO/Port, SupervisedPort and VirtualInput",
  ),
  row(
    "sound",
    /\b(?:sound|audio|noise|loud|trigger level|cry(?:ing)?|baby ?cry|bark(?:ing)?|cough)/,
    "home-assistant onvif parsers, Audio/DetectedSound; Axis AudioSource/TriggerLevel; Hanwha AudioDetection",
  ),
  row(
    "motion",
    /\bmotion|\bvmd\d*\b|\bmovement|^video move$|\bactivity (?:sensor|detect)/,
    "home-assistant onvif parsers, VideoSource/MotionAlarm and CellMotionDetector; Axis VMD; Hanwha MotionDetection; UserAlarm/VideoMove of clones; Mobotix ActivitySensor",
  ),
  row(
    "rule",
    /\bobject analytics|\b(?:tp ?)?smart ?event|\bwise ai\b|^iva$|\bobject ?detect|\bai ?detect/,
    "Axis ObjectAnalytics; Tapo TPSmartEvent (VIGI); Hanwha WiseAI; Bosch IVA",
  ),
];

/** What the last two parts of a topic stand for together, looked up before the parts. */
export const PAIR_TABLE: readonly SeenRow[] = [
  row(
    undefined,
    /^temperature inside$/,
    "VAPIX, Device/Status/Temperature/Inside: true within the operating range",
  ),
];

/** What rules of the camera's own making saw, by their whole names. An owner's names say nothing of the kind. */
export const RULE_CLASSES: ReadonlyMap<string, { readonly kind: SeenKind; readonly from: string }> = new Map([
  ["Human", { kind: "person", from: "ubiquiti-protect-onvif-event-listener, FieldDetector/ObjectsInside" }],
  [
    "Vehicle",
    { kind: "vehicle", from: "ubiquiti-protect-onvif-event-listener, FieldDetector/ObjectsInside" },
  ],
]);
