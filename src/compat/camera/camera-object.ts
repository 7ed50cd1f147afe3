import { redactUrl } from "../../base/index.js";
import {
  type CameraObject,
  type cameraConnection,
  camera as contract,
  type ShownOf,
  shown,
} from "../../contract/index.js";
import {
  archiveStreamType,
  type Camera,
  cameraOptions,
  isOnMap,
  type Site,
  type StreamSettings,
} from "../../site/index.js";
import { roleHolder } from "./camera-roles-input.js";
import { parentIdOf } from "./camera-tree.js";

/** The camera object of the configuration API; the password is always null. */
export function cameraObject(camera: Camera, site: Site): CameraObject {
  const kept = cameraOptions(camera);
  const { archive } = camera;
  return shown(contract, {
    ...camera,
    serverBindingsSettings: { ownerServerId: camera.ownerServerId, ...kept.servers },
    parentSecObjectId: parentIdOf(camera.id, site),
    connectionSettings: connectionObject(camera),
    archiveSettings: {
      ...archive,
      ...kept.archive,
      archivingVideoStreamType: archiveStreamType(camera),
    },
    analyzeSettings: {
      ...kept.analyze,
      analyzeStreamType: roleHolder("VideoAnalysis", camera.connection.streams) ?? "Main",
    },
    mapSettings: { ...camera, onMap: isOnMap(camera) },
  });
}

/** Some cameras want login and password within the path: masked, and taken back as they were by PUT. */
function connectionObject(camera: Camera): ShownOf<typeof cameraConnection> {
  const { connection } = camera;
  const masked = (stream: StreamSettings): StreamSettings => ({
    ...stream,
    additionalParams: redactUrl(stream.additionalParams),
  });
  const { Main, Alternative, SecondAlternative, ThirdAlternative } = connection.streams;
  const [main, alternative] = [masked(Main), masked(Alternative)];
  return {
    ...cameraOptions(camera).connection,
    ...connection,
    hostname: redactUrl(connection.hostname),
    ...{ mainVideoStreamFormat: main.format, mainVideoAdditionalParams: main.additionalParams },
    ...{ altVideoStreamEnabled: alternative.enabled, altVideoStreamFormat: alternative.format },
    altVideoAdditionalParams: alternative.additionalParams,
    ...{ mainStreamRotationMode: main.rotationMode, altStreamRotationMode: alternative.rotationMode },
    streams: {
      ...{ Main: main, Alternative: alternative },
      ...{ SecondAlternative: masked(SecondAlternative), ThirdAlternative: masked(ThirdAlternative) },
    },
  };
}
