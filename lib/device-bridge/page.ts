// The part of a page's API that the bridge uses, under its usual names: the editor's compilers know
// no pages. Declarations only, without code at run time.

/** A canvas of the page. */
export interface Canvas {
  width: number;
  height: number;
  getBoundingClientRect(): {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  getContext(kind: "2d"): DrawingContext | null;
  toBlob(done: (blob: { arrayBuffer(): Promise<ArrayBuffer> } | null) => void, type: string): void;
}

/** A canvas's drawing context. */
export interface DrawingContext {
  fillStyle: unknown;
  imageSmoothingEnabled: boolean;
  fillRect(x: number, y: number, width: number, height: number): void;
  drawImage(canvas: Canvas, x: number, y: number, width: number, height: number): void;
}

/** An element of the page. */
export interface Element {
  textContent: string | null;
  readonly style: { cssText: string };
  setAttribute(name: string, value: string): void;
  append(child: Element): void;
  remove(): void;
  dispatchEvent(event: object): boolean;
}

/** The document of the page. */
export interface Document {
  readonly body: Element | null;
  createElement(name: "canvas"): Canvas;
  createElement(name: "div"): Element;
  querySelectorAll(selector: "canvas"): ArrayLike<Canvas>;
  elementFromPoint(x: number, y: number): Element | null;
}

/** A connection of the page. */
export interface Socket {
  binaryType: string;
  readonly readyState: number;
  send(message: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

/** An error event of the page. */
export interface Failing {
  readonly message?: unknown;
  readonly error?: unknown;
  readonly reason?: unknown;
}
