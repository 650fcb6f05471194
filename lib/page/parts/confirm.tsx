import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** A button that says what will happen, and asks, before it does it. */
export function Confirm({ label, sure, keep = "No", disabled, onConfirm, children }: {
  readonly label: string;
  /** What is pressed to do it. */
  readonly sure: string;
  /** What is pressed to leave everything as it is. */
  readonly keep?: string;
  readonly disabled?: boolean | undefined;
  readonly onConfirm: () => void;
  /** What will happen. */
  readonly children: ComponentChildren;
}) {
  const [asks, setAsks] = useState(false);
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asks) stay.current?.focus();
  }, [asks]);
  if (!asks) {
    return (
      <button type="button" class="button" disabled={disabled} onClick={() => setAsks(true)}>
        {label}
      </button>
    );
  }
  return (
    <div class="confirm" role="alertdialog" aria-label={label}>
      <p>{children}</p>
      <div class="row">
        <button
          type="button"
          class="button danger"
          onClick={() => {
            setAsks(false);
            onConfirm();
          }}
        >
          {sure}
        </button>
        <button type="button" class="button" ref={stay} onClick={() => setAsks(false)}>
          {keep}
        </button>
      </div>
    </div>
  );
}
