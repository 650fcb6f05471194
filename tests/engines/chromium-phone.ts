import type { DevtoolsBrowser, DevtoolsPage } from "../../scripts/bench/devtools.ts";
import { phoneOutput } from "../devices/device-world.ts";
import type { FakePhone, PhoneOutput } from "../support/adb-server.ts";

/** How a phone is held, and how fine its screen is: `width` and `height` in points. */
export interface Held {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly rotation: 0 | 90 | 180 | 270;
}

const SOCKET = "webview_devtools_remote_4321";
const MOVES = 8;

/** A phone whose only app is a page of Chromium: adb's orders do to it what Android does to a web view. */
export class ChromiumPhone implements FakePhone {
  readonly serial = "emulator-5554";
  state = "device";
  readonly model = "Chromium";
  /** What `logcat` prints. */
  log = "";
  readonly #browser: DevtoolsBrowser;
  readonly #page: DevtoolsPage;
  #last: Promise<unknown> = Promise.resolve();
  #held: Held = { width: 400, height: 720, ratio: 1, rotation: 0 };

  constructor(browser: DevtoolsBrowser, page: DevtoolsPage) {
    this.#browser = browser;
    this.#page = page;
  }

  /** Holds it so; the page has drawn itself anew when this settles. */
  async hold(held: Held): Promise<void> {
    this.#held = held;
    const { width, height, ratio, rotation } = held;
    const type = `${width > height ? "landscape" : "portrait"}${
      rotation < 180 ? "Primary" : "Secondary"
    }`;
    await this.#page.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: ratio,
      mobile: true,
      screenWidth: width,
      screenHeight: height,
      screenOrientation: { type, angle: rotation },
    });
    await this.#page.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    await this.#page.send("Runtime.evaluate", {
      expression: `new Promise(async (done) => {
        const isSo = () => innerWidth === ${width} && devicePixelRatio === ${ratio} &&
          screen.orientation.angle === ${rotation};
        while (!isSo()) await new Promise(requestAnimationFrame);
        globalThis.drawGrid?.();
        requestAnimationFrame(() => requestAnimationFrame(done));
      })`,
      awaitPromise: true,
    });
  }

  portOf(socket: string): number | null {
    return socket === SOCKET ? this.#browser.port : null;
  }

  /** One order after another: a page has other pixels while Chromium takes its picture. */
  run(line: string): Promise<PhoneOutput> {
    const done = this.#last.then(() => this.#run(line));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #run(line: string): Promise<PhoneOutput> {
    const [program, kind, ...given] = line.split(" ");
    const { width, height, ratio, rotation } = this.#held;
    if (program === "input") {
      const places = given.map((pixel) => Number(pixel) / ratio);
      const [x = 0, y = 0, toX = x, toY = y] = places;
      await this.#touch("touchStart", [{ x, y }]);
      for (let move = 1; kind === "swipe" && move <= MOVES; move++) {
        const share = move / MOVES;
        await this.#touch("touchMove", [{ x: x + (toX - x) * share, y: y + (toY - y) * share }]);
      }
      await this.#touch("touchEnd", []);
      return {};
    }
    if (program === "pidof") return { stdout: "4321\n" };
    return phoneOutput(line, {
      width: Math.round(width * ratio),
      height: Math.round(height * ratio),
      density: 160 * ratio,
      rotation,
      log: this.log,
      sockets: `0: 00000002 00000000 00010000 0001 01 21 @${SOCKET}\n`,
      ...(program === "screencap" && { picture: await this.#picture() }),
    });
  }

  async #picture(): Promise<Uint8Array> {
    const { data } = await this.#page.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(String(data), "base64");
  }

  async #touch(type: string, touchPoints: readonly { x: number; y: number }[]): Promise<void> {
    await this.#page.send("Input.dispatchTouchEvent", { type, touchPoints });
  }
}
