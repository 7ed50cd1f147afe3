/** The bounds of a configuration, each with its name. Lengths are in UTF-16 units, as `string.length` counts. */
export const SITE_LIMITS = {
  camerasMax: 256,
  groupsMax: 128,
  usersMax: 1024,
  securityObjectsMax: 1024,
  /** Levels of folders below the root. */
  securityObjectDepthMax: 16,
  nameLengthMax: 128,
  commentLengthMax: 1024,
  hostnameLengthMax: 2048,
  additionalParamsLengthMax: 2048,
  cameraLoginLengthMax: 256,
  cameraPasswordLengthMax: 256,
  ptzPriorityLengthMax: 32,
  secretLengthMax: 256,
  archiveDaysMax: 36_500,
  /** Frames a second a camera's limits may name. */
  frameRateMax: 240,
  motionSecondsMin: 1,
  motionSecondsMax: 6,
  soundVolumeMax: 100,
  multiChannelServerChannelsMax: 1024,
  externalPortsMax: 16,
  /** A setting kept as JSON text, because its members are not documented. */
  keptJsonLengthMax: 4096,
} as const;
