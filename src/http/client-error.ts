import type { Duplex } from 'node:stream';

/**
 * What a server does with a connection that no request came on, or none that can be read; a listener for `clientError`.
 * Browsers open spare connections and keep them for their next request, so any byte on an idle connection is read as
 * the response to it: an idle connection gets no byte and stays open. (Node reports it as late by its `headersTimeout`
 * and, by default, writes a 408 there.) A request that began and does not go on is cut off without a response.
 */
export function refuseClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex & { readonly bytesRead?: number; readonly bytesWritten?: number },
): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    if (socket.bytesRead !== 0) socket.destroy();
    return;
  }
  // Half a response may be on its way there; a second one would be read as its body.
  if (!socket.writable || socket.bytesWritten !== 0) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
