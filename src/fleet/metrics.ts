import type { KeeperView } from './keeper.js';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/**
 * What a keeper does, in the text format of Prometheus (version 0.0.4). No secret, address or account is in it but the
 * logins' labels.
 * @param now Milliseconds since 1970.
 */
export function metricsText({ isLeader, isStoreThere, states }: KeeperView, now: number): string {
  const of = (sample: (state: KeeperView['states'][number]) => readonly Sample[]) => states.flatMap(sample);
  const count = (state: string) => states.filter((each) => stateName(each) === state).length;
  return [
    family('postern_keeper_leader', 'gauge', 'Whether this keeper is the one that refreshes.', [
      [{}, Number(isLeader)],
    ]),
    family('postern_keeper_store_up', 'gauge', 'Whether the store was in reach at its last use.', [
      [{}, Number(isStoreThere)],
    ]),
    family(
      'postern_keeper_logins',
      'gauge',
      'Logins by state; login_needed: only a person can mend it.',
      ['fresh', 'failing', 'login_needed', 'unrefreshable'].map((state) => [{ state }, count(state)]),
    ),
    family(
      'postern_keeper_token_expiry_seconds',
      'gauge',
      'Seconds until the access token ends, negative afterwards.',
      of(({ login, life }) =>
        life.expiresAt === null ? [] : [[{ login: login.label }, Math.round((life.expiresAt - now) / 1000)]],
      ),
    ),
    family(
      'postern_keeper_refreshes_total',
      'counter',
      'Refreshes that this keeper has done.',
      of(({ login, refreshes }) => [[{ login: login.label }, refreshes]]),
    ),
    family(
      'postern_keeper_refresh_failures_total',
      'counter',
      'Refreshes that failed, by the code of the failure.',
      of(({ login, failed }) => [...failed].map(([code, times]) => [{ login: login.label, code }, times])),
    ),
  ].join('');
}

function stateName({ login, isEnded, failures }: KeeperView['states'][number]): string {
  if (isEnded) return 'login_needed';
  if (login.state === 'unrefreshable') return 'unrefreshable';
  return failures > 0 ? 'failing' : 'fresh';
}

function family(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** As the format has it: backslash, quotation mark, line feed. Other control characters are of no use to anybody. */
function escaped(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replace(/\p{Cc}/gu, '?');
}
