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
  gridTypesMax: 64,
  gridTypeLengthMax: 64,
  directoryGroupsMax: 64,
  directoryGroupLengthMax: 1024,
  viewsMax: 512,
  /** Cells of a view's grid. */
  viewChannelsMax: 256,
  userScenariosMax: 512,
  /** Locations of the map, in all folders together, and its folders. */
  mapLocationsMax: 1024,
  mapFoldersMax: 256,
  /** Levels of map folders below the root. */
  mapFolderDepthMax: 16,
  mapZoomMax: 24,
  /** Pixels of a mobile level's picture, either way. */
  mobilePixelsMin: 16,
  mobilePixelsMax: 7680,
  monitoringUrlLengthMax: 2048,
  monitoringPasswordLengthMax: 256,
  monitoringPushIntervalSecondsMin: 1,
  monitoringPushIntervalSecondsMax: 86_400,
  monitoringServersMax: 64,
  /** A directory user's name may be a long address. */
  authorNameLengthMax: 256,
  changeSummaryLengthMax: 500,
  secretLengthMax: 256,
  archiveDaysMax: 36_500,
  /** Frames a second a camera's limits may name. */
  frameRateMax: 240,
  motionSecondsMin: 1,
  motionSecondsMax: 6,
  soundVolumeMax: 100,
  multiChannelServerChannelsMax: 1024,
  externalPortsMax: 16,
  profileTokenLengthMax: 256,
  deviceIdentityLengthMax: 256,
  scheduleRangesPerDayMax: 48,
  /** A setting kept as JSON text, because its members are not documented. */
  keptJsonLengthMax: 4096,
} as const;
