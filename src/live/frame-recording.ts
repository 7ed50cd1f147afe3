/** A file that frames are recorded in, as far as streams need to know it. */
export interface FrameRecording {
  /** Whether the disk has taken the frame whose record begins at `position`. `byteLength`: of the frame. */
  holds(position: number, byteLength: number): boolean;
}
