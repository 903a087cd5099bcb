import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SiteFile } from '../../ports/documents.js';

/**
 * Answers with one of the files of the site, as it is now on the disk; nothing else of the disk can be asked for. A
 * query is no part of any address here.
 */
export async function answerWith(
  site: ReadonlyMap<string, SiteFile>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '' } = request;
  request.resume();
  if (method !== 'GET' && method !== 'HEAD') {
    plain(response, 405, 'Only GET.', { Allow: 'GET, HEAD' });
    return;
  }
  const file = site.get(url);
  const bytes = file && (await readFile(file.path).catch(() => undefined));
  if (file === undefined || bytes === undefined) {
    plain(response, 404, 'Nothing here.');
    return;
  }
  response.writeHead(200, { ...Object.fromEntries(file.headers), 'Content-Length': bytes.length });
  response.end(method === 'HEAD' ? undefined : bytes);
}

function plain(response: ServerResponse, status: number, text: string, headers = {}): void {
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(`${text}\n`);
}
