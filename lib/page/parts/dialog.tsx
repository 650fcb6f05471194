import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "./icon.tsx";
import { Notices } from "./notices.tsx";

/**
 * A modal dialog (HTML `dialog`): Escape closes it, and the focus stays in it. It shows the
 * notices, because everything below is inert.
 */
export function Dialog({ title, onClose, children, kind = "" }: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly kind?: "" | "wide";
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  // The browser's close event comes later, when another dialog may already be open.
  const close = () => {
    element.current?.close();
    onClose();
  };
  return (
    <dialog
      ref={element}
      class={`dialog ${kind}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClose={() => {
        if (element.current !== null) onClose(); // closed without asking, as some browsers do
      }}
    >
      <header role="presentation">
        <h2>{title}</h2>
        <IconButton
          icon="close"
          label={`Close ${title}`}
          kind="quiet"
          onClick={close}
        />
      </header>
      <div class="dialog-body">{children}</div>
      <Notices />
    </dialog>
  );
}
