import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../control/button.js";
import { findingWords } from "../words/finding.js";
import { CameraRow } from "./camera-row.js";
import { isScanning, scan, stopFollowing } from "./camera-work.js";
import { byMaker, type Found, found, GROUPS, type Group, groupOf } from "./found-cameras.js";
import { LoginForm } from "./login-form.js";
import { MoreCameras, type MoreCamerasProps } from "./more-cameras.js";

interface CameraFinderProps {
  readonly login: Signal<string>;
  readonly password: Signal<string>;
  readonly onStream?: MoreCamerasProps["onStream"];
}

/** The cameras that answer, by what they need, each with its picture; and those that answer no scan. */
export function CameraFinder({ login, password, onStream }: CameraFinderProps) {
  const words = findingWords();
  useEffect(() => {
    void scan();
    return stopFollowing;
  }, []);
  return (
    <>
      <div class="finding-scan">
        <p role="status">
          {isScanning.value ? words.scanning : words.found(found.value.length)}
          {!isScanning.value && found.value.length === 0 && ` ${words.noneFound}`}
        </p>
        <Button disabled={isScanning.value} onClick={() => void scan()}>
          {words.scanAgain}
        </Button>
      </div>
      <LoginForm login={login} password={password} />
      {GROUPS.map((group) => (
        <CameraGroup key={group} group={group} />
      ))}
      <MoreCameras {...(onStream === undefined ? {} : { onStream })} />
    </>
  );
}

/** Cameras that are marked and can be added now. */
export function readyCameras(): readonly Found[] {
  return found.value.filter((camera) => camera.isChosen && groupOf(camera) === "ready");
}

function CameraGroup({ group }: { readonly group: Group }) {
  const words = findingWords();
  const cameras = found.value.filter((camera) => groupOf(camera) === group);
  if (cameras.length === 0) return null;
  return (
    <div class="camera-group">
      <h3>{words.groups[group]}</h3>
      {group === "login" ? (
        byMaker(cameras).map(([maker, of]) => (
          <div key={maker}>
            {maker !== "" && <h4>{maker}</h4>}
            <Rows cameras={of} group={group} />
          </div>
        ))
      ) : (
        <Rows cameras={cameras} group={group} />
      )}
    </div>
  );
}

function Rows({ cameras, group }: { readonly cameras: readonly Found[]; readonly group: Group }) {
  return (
    <ul class="found-list">
      {cameras.map((camera) => (
        <CameraRow key={camera.address} camera={camera} group={group} />
      ))}
    </ul>
  );
}
