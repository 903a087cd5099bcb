import type { HistoryEntry } from '../../stores/ports.js';
import { dateOrNull, inWords } from '../render.js';
import type { LabelledRow } from './login-status.js';

/** What has happened to a login, in rows. `now` in milliseconds since 1970. */
export function historyRows(entries: readonly HistoryEntry[], now: number): readonly LabelledRow[] {
  const said = (what: HistoryEntry['what'], more = '') => {
    const [one] = entries.filter((entry) => entry.what === what);
    return one && times(one, now) + more;
  };
  const uses = entries.filter(({ what }) => what === 'used').toReversed();
  const end = entries.filter(({ what }) => what === 'ended').at(-1);
  const made = entries.find(({ what }) => what === 'made');
  return [
    ['made', made && (made.count === 1 ? moment(made.last, now) : times(made, now))],
    ['stepped up', said('stepped_up')],
    ['refreshed', said('refreshed', byHand(entries))],
    ['refused', listed(said('refused'), labelled('by another program’s report', said('reported')))],
    ['used by', uses.length === 0 ? undefined : uses.map((one) => `${one.detail} ${times(one, now)}`).join('; ')],
    ['ended', end && `${moment(end.last, now)}: ${end.detail}`],
  ];
}

/** How many of the refreshes somebody has asked for. */
function byHand(entries: readonly HistoryEntry[]): string {
  const count = (what: HistoryEntry['what']) => entries.find((entry) => entry.what === what)?.count ?? 0;
  const asked = count('asked_anew');
  if (asked === 0) return '';
  return asked >= count('refreshed') ? ', by hand' : `, ${asked} of them by hand`;
}

function labelled(label: string, text: string | undefined): string | undefined {
  return text && `${label} ${text}`;
}

function listed(...texts: readonly (string | undefined)[]): string | undefined {
  const known = texts.filter((text) => text !== undefined);
  return known.length === 0 ? undefined : known.join('; ');
}

function times({ count, last }: HistoryEntry, now: number): string {
  return count === 1 ? `once, ${moment(last, now)}` : `${count} times, last ${moment(last, now)}`;
}

const dayMs = 86_400_000;

/** How long ago, and for what is not of today the day. */
function moment(time: number, now: number): string {
  const ago = now - time < 2000 ? 'just now' : `${inWords(now - time)} ago`;
  return now - time < dayMs ? ago : `${new Date(time).toISOString().slice(0, 10)} (${ago})`;
}

/** The same as JSON; null: not asked for. */
export function historyJson(entries: readonly HistoryEntry[] | undefined): Readonly<Record<string, unknown>> | null {
  if (entries === undefined) return null;
  const counts = ({ count, first, last }: HistoryEntry) => ({
    count,
    firstAt: dateOrNull(first),
    lastAt: dateOrNull(last),
  });
  const sum = (what: HistoryEntry['what']) => {
    const one = entries.find((entry) => entry.what === what);
    return one === undefined ? null : counts(one);
  };
  const end = entries.filter(({ what }) => what === 'ended').at(-1);
  return {
    made: sum('made'),
    steppedUp: sum('stepped_up'),
    refreshed: sum('refreshed'),
    askedAnew: sum('asked_anew'),
    refused: sum('refused'),
    reportedRefused: sum('reported'),
    usedBy: entries.filter(({ what }) => what === 'used').map((one) => ({ command: one.detail, ...counts(one) })),
    ended: end === undefined ? null : { at: dateOrNull(end.last), why: end.detail },
  };
}
