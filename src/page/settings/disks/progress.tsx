import { useId } from "preact/hooks";

interface ProgressProps {
  readonly label: string;
  /** 0 to 1; null while it is not known. */
  readonly part: number | null;
}

/** How far long work is. */
export function Progress({ label, part }: ProgressProps) {
  const id = useId();
  const percent = part === null ? undefined : Math.floor(part * 100);
  return (
    <div class="work">
      <label for={id}>{label}</label>
      <progress id={id} max={100} {...(percent === undefined ? {} : { value: percent })} />
      {percent !== undefined && <span>{percent} %</span>}
    </div>
  );
}
