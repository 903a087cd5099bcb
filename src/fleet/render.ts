import type { JsonObject } from '../core/text/json.js';
import type { KeeperEvent } from './ports.js';

/** One event as `--json` prints it. @param now Milliseconds since 1970. */
export function eventJson(event: KeeperEvent, now: number): JsonObject {
  const head = { at: isoTime(now), event: event.event };
  switch (event.event) {
    case 'started':
      return { ...head, metrics: event.metrics, store: event.store };
    case 'standing_by':
      return { ...head, leader: event.leader };
    case 'refreshed':
      return { ...head, login: event.login, expiresAt: event.expiresAt === null ? null : isoTime(event.expiresAt) };
    case 'refresh_failed':
      return { ...head, login: event.login, ...failed(event) };
    case 'store_failed':
      return { ...head, ...failed(event) };
    case 'clock_set_back':
      return { ...head, bySeconds: Math.round(event.byMs / 1000) };
    default:
      return head;
  }
}

function failed(event: Extract<KeeperEvent, { readonly failure: unknown }>): JsonObject {
  const { code, message, remedy } = event.failure;
  const { retryInMs } = event;
  return { code, message, remedy, retryInSeconds: retryInMs === null ? null : Math.round(retryInMs / 1000) };
}

/** The same as a line for people. */
export function eventLine(event: KeeperEvent, now: number): string {
  return `${isoTime(now).slice(11, 19)} ${words(event, now)}`;
}

function words(event: KeeperEvent, now: number): string {
  switch (event.event) {
    case 'started':
      return event.metrics === null ? 'Started.' : `Started. Metrics: ${event.metrics}`;
    case 'leading':
      return 'Keeping logins fresh.';
    case 'standing_by':
      return `Standing by: ${event.leader} keeps them.`;
    case 'stepped_down':
      return 'Stepped down: the lease is lost.';
    case 'refreshed':
      return `${event.login}: refreshed${event.expiresAt === null ? '' : `, valid for ${inWords(event.expiresAt - now)}`}.`;
    case 'refresh_failed':
      return `${event.login}: ${event.failure.message} ${
        event.retryInMs === null ? event.failure.remedy : `Again in ${inWords(event.retryInMs)}.`
      }`;
    case 'store_failed':
      return `${event.failure.message} Again in ${inWords(event.retryInMs)}. ${event.failure.remedy}`;
    case 'store_back':
      return 'The store is in reach again.';
    case 'clock_set_back':
      return `The clock was set back by ${inWords(event.byMs)}; refreshes follow the time that has really passed.`;
    case 'ended':
      return 'Ended; another keeper may go on.';
  }
}

function inWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
