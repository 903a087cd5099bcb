import type { ServerResponse } from 'node:http';
import type { Page } from './page.js';

/** On every answer, whatever it is: kept nowhere, shown in no frame, read by no other origin. */
const always: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  Connection: 'close',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Answers with one of our constant pages. */
export function sendPage(response: ServerResponse, status: number, page: Page, cookie?: string): void {
  const body = Buffer.from(page.html);
  response.writeHead(status, {
    ...always,
    ...(status === 405 ? { Allow: 'GET' } : {}),
    ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }),
    'Content-Security-Policy': page.contentSecurityPolicy,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': body.length,
  });
  response.end(body);
}

/** Sends the browser on with GET (RFC 9110 section 15.4.4), so that this address leaves its history and its bar. */
export function sendOn(response: ServerResponse, location: string, cookie?: string): void {
  response.writeHead(303, {
    ...always,
    ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }),
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Content-Length': 0,
    Location: location,
  });
  response.end();
}
