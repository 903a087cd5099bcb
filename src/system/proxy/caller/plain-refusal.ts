import { statusLine } from '../../../primitives/http1/answer-text.js';
import { relayedMethods } from '../../../primitives/http1/request-method.js';
import type { HeadProblem } from './head-reader.js';

/** The answer to what is no request, or too long or slow: nothing that comes after it is believed. */
export function plainRefusal(status: HeadProblem | 408): string {
  const allow = status === 405 ? `Allow: ${relayedMethods.join(', ')}\r\n` : '';
  return `${statusLine(status)}${allow}Connection: close\r\nContent-Length: 0\r\n\r\n`;
}
