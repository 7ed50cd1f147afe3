import { useId } from "preact/hooks";

interface FileButtonProps {
  readonly label: string;
  readonly accept: string;
  readonly disabled?: boolean;
  readonly onFile: (file: File) => void;
}

/** A button that asks for a file of the device. */
export function FileButton({ label, accept, disabled, onFile }: FileButtonProps) {
  const id = useId();
  return (
    <div class="file-button">
      <input
        id={id}
        class="only-read"
        type="file"
        accept={accept}
        disabled={disabled}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          // The same file may be chosen again.
          event.currentTarget.value = "";
          if (file !== undefined) onFile(file);
        }}
      />
      <label for={id} class="button">
        {label}
      </label>
    </div>
  );
}
