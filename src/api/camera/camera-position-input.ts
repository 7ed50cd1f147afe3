import { type Camera, isOnMap } from "../../site/index.js";
import type { BodyReader } from "../route/index.js";

const LATITUDE_DEGREES_MAX = 90;
const LONGITUDE_DEGREES_MAX = 180;

/** Reads MapSettings onto the position there is. Null takes a coordinate away; there are both or neither. */
export function readPosition(
  reader: BodyReader,
  before: Camera,
): Pick<Camera, "latitude" | "longitude" | "onMap"> {
  const { latitude: oldLatitude, longitude: oldLongitude } = before;
  const unchanged = { latitude: oldLatitude, longitude: oldLongitude, onMap: isOnMap(before) };
  const latitude = readDegrees(reader, "Latitude", { max: LATITUDE_DEGREES_MAX, before: oldLatitude });
  const longitude = readDegrees(reader, "Longitude", { max: LONGITUDE_DEGREES_MAX, before: oldLongitude });
  const shown = reader.boolean("IsOnMap");
  if (latitude === undefined || longitude === undefined) return unchanged;
  if ((latitude === null) !== (longitude === null)) {
    const missing = latitude === null ? "Latitude" : "Longitude";
    reader.fault(missing, "give both Latitude and Longitude, or neither");
    return unchanged;
  }
  if (latitude === null && shown === true) reader.fault("IsOnMap", "needs Latitude and Longitude");
  const onMapBefore = oldLatitude === null || isOnMap(before);
  return { latitude, longitude, onMap: latitude !== null && (shown ?? onMapBefore) };
}

/** Undefined after a fault. */
function readDegrees(
  reader: BodyReader,
  name: string,
  { max, before }: { readonly max: number; readonly before: number | null },
): number | null | undefined {
  if (reader.isNull(name)) return null;
  return reader.value(name) === undefined ? before : reader.number(name, -max, max);
}
