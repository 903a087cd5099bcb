/** Of the line under way: enough to tell what it names. */
const maxBeginning = 64;

/**
 * Tells whether an event stream names an address for messages, as the older transport (HTTP+SSE, 2024-11-05) does. A caller would
 * resolve that against our address, so that a server could choose another server's mount.
 */
export class OlderStream {
  /** The beginning of the line under way, and the line end before it, one character a byte. */
  #line = '\n';

  /** Does the stream name one, with what comes now? In a form that any reader might take for it (WHATWG HTML, section 9.2.6). */
  namesEndpoint(chunk: Uint8Array): boolean {
    const { buffer, byteOffset, byteLength } = chunk;
    const text = this.#line + Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
    const start = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
    this.#line = text.slice(start, start + maxBeginning);
    return /[\r\n](?:\xef\xbb\xbf)?event:[ \t]*endpoint[ \t\r\n]/.test(text);
  }
}
