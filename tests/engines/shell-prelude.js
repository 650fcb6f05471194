// What a bare JavaScript shell lacks of engine.d.ts, and nothing else: no URL, no streams, no
// crypto, no structuredClone. The network is a table of recorded answers.

globalThis.TextEncoder = class {
  encode(text = "") {
    const bytes = [];
    for (const letter of text) {
      let code = letter.codePointAt(0);
      if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | code >> 6, 0x80 | code & 63);
      else if (code < 0x10000) {
        bytes.push(0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63);
      } else {
        bytes.push(
          0xf0 | code >> 18,
          0x80 | code >> 12 & 63,
          0x80 | code >> 6 & 63,
          0x80 | code & 63,
        );
      }
    }
    return Uint8Array.from(bytes);
  }
};

globalThis.TextDecoder = class {
  decode(bytes) {
    let text = "";
    for (let i = 0; i < bytes.length;) {
      const first = bytes[i++];
      const more = first < 0x80
        ? 0
        : first >= 0xc2 && first < 0xe0
        ? 1
        : first >= 0xe0 && first < 0xf0
        ? 2
        : first >= 0xf0 && first < 0xf5
        ? 3
        : -1;
      if (more < 0) throw new TypeError("not UTF-8");
      let code = more === 0 ? first : first & 0x3f >> more;
      for (let n = 0; n < more; n++) {
        const next = bytes[i++];
        if ((next & 0xc0) !== 0x80) throw new TypeError("not UTF-8");
        code = code << 6 | next & 63;
      }
      const shortest = [0, 0x80, 0x800, 0x10000][more];
      if (code < shortest || code > 0x10ffff || code >= 0xd800 && code <= 0xdfff) {
        throw new TypeError("not UTF-8");
      }
      text += String.fromCodePoint(code);
    }
    return text;
  }
};

globalThis.AbortController = class {
  constructor() {
    const listeners = new Set();
    this.signal = {
      aborted: false,
      addEventListener: (_type, listener) => void listeners.add(listener),
      removeEventListener: (_type, listener) => void listeners.delete(listener),
    };
    this.listeners = listeners;
  }
  abort() {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    for (const listener of [...this.listeners]) listener();
  }
};

// The shell has timers, but none that can be stopped.
if (typeof clearTimeout === "undefined") {
  const start = setTimeout;
  const stopped = new Set();
  let last = 0;
  globalThis.setTimeout = (call, ms) => {
    const id = ++last;
    start(() => stopped.delete(id) || call(), ms);
    return id;
  };
  globalThis.clearTimeout = (id) => void stopped.add(id);
}

function bytesOfBase64(text) {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const bytes = [];
  let buffer = 0, bits = 0;
  for (const letter of text.replace(/=+$/, "")) {
    buffer = buffer << 6 | letters.indexOf(letter);
    bits += 6;
    if (bits >= 8) bytes.push(buffer >> (bits -= 8) & 255);
  }
  return Uint8Array.from(bytes);
}

/** `fetch` as a web view has it, over `answers` by path below `origin`. */
globalThis.fetchRecorded = (answers, origin) => {
  const gone = () => Promise.reject(new TypeError("Load failed"));
  const never = () => new Promise(() => {});
  return async function fetch(url, init = {}, hops = 0) {
    if (!url.startsWith(`${origin}/`) || hops > 20) return await gone();
    const { status = 200, headers = {}, body = "", cors, ending = "whole", length } =
      answers[url.slice(origin.length)] ?? { status: 404 };
    if (ending === "reset") return await gone();
    if (ending === "silent") return await never();
    if (cors === false && init.mode !== "no-cors") return await gone();
    if (headers.location) return await fetch(`${origin}${headers.location}`, init, hops + 1);
    const bytes = bytesOfBase64(body);
    const open = ending === "endless" || ending === "trickle";
    const known = {
      "content-length": open ? undefined : String(length ?? bytes.length),
      ...headers,
    };
    return {
      ok: status >= 200 && status < 300,
      status: init.mode === "no-cors" ? 0 : status,
      url,
      headers: { get: (name) => known[name.toLowerCase()] ?? null },
      arrayBuffer: ending === "hang" || open
        ? never
        : ending === "cut"
        ? gone
        : () => Promise.resolve(bytes.slice(0, length ?? bytes.length).buffer),
    };
  };
};
