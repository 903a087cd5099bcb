import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Keeper } from '../../src/fleet/keeper.js';
import type { FleetLogins, KeeperEvent, KeptLogin } from '../../src/fleet/ports.js';
import { eventLine } from '../../src/fleet/render.js';
import { metricsText } from '../../src/fleet/status-page.js';
import { Failure } from '../support/product.js';

const failure = (code: string, exit: 3 | 6) =>
  new Failure({ code, exit, message: 'It failed.', remedy: 'Run: postern login x' });

interface SetBack {
  readonly atMs: number;
  readonly byMs: number;
}

/** A clock whose sleeps end at once, after the time has passed; it stops the keeper at `endMs`. */
function fakeClock(endMs: number, stop: AbortController, { atMs, byMs }: SetBack) {
  let now = 1_000_000;
  return {
    now: () => (now >= 1_000_000 + atMs ? now - byMs : now),
    monotonic: () => now,
    sleep: async (ms: number, signal: AbortSignal) => {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
      now += ms;
      if (now >= 1_000_000 + endMs) stop.abort();
    },
  };
}

function kept(key: string, lifeMs: number, state: KeptLogin['state'] = 'kept'): KeptLogin {
  return { key, label: key, obtainedAt: 1_000_000, expiresAt: 1_000_000 + lifeMs, state };
}

async function keep(
  logins: readonly KeptLogin[] | (() => readonly KeptLogin[]),
  endMs: number,
  refresh: (key: string, now: number, passedMs: number) => number,
  setBack: SetBack = { atMs: Number.POSITIVE_INFINITY, byMs: 0 },
) {
  const stop = new AbortController();
  const clock = fakeClock(endMs, stop, setBack);
  const events: KeeperEvent[] = [];
  let underWay = 0;
  let most = 0;
  const port: FleetLogins = {
    list: async () => (typeof logins === 'function' ? logins() : logins),
    refresh: async ({ key }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      return {
        obtainedAt: clock.now(),
        expiresAt: clock.now() + refresh(key, clock.now(), clock.monotonic() - 1_000_000),
      };
    },
  };
  const lost = new AbortController().signal;
  const lead = async () => ({ lost, isHeld: () => true, release: async () => undefined });
  const options = { logins: port, lead, clock, aheadMs: 60_000, random: () => 0.5 };
  const keeper = new Keeper({ ...options, tell: (event) => events.push(event) });
  await keeper.run(stop.signal, new AbortController().signal);
  const of = (login: string, event: string) =>
    events.filter((each) => each.event === event && 'login' in each && each.login === login);
  return { events, of, keeper, most, clock };
}

it('every login is refreshed ahead of its end, again and again, four at a time at most', async () => {
  const all = Array.from({ length: 30 }, (_, at) => kept(`login${at}`, 600_000));
  const { of, most } = await keep(all, 3_600_000, () => 600_000);
  for (const { key } of all) {
    const times = of(key, 'refreshed').length;
    assert.ok(times >= 5 && times <= 8, `${key}: ${times}`);
  }
  assert.equal(most, 4);
});

it('one login that has ended is told once with its command, one that fails rests longer and longer, the others go on', async () => {
  const all = [
    kept('ended', 600_000),
    kept('away', 600_000),
    kept('well', 600_000),
    kept('dead', 1, 'ended'),
    kept('plain', 1, 'unrefreshable'),
  ];
  const { of, keeper, events, clock } = await keep(all, 7_200_000, (key) => {
    if (key === 'ended') throw failure('login_expired', 3);
    if (key === 'away') throw failure('network_failed', 6);
    return 600_000;
  });
  assert.equal(of('ended', 'refresh_failed').length, 1);
  const away = of('away', 'refresh_failed').length;
  assert.ok(away >= 12 && away <= 25, `${away}`);
  assert.ok(of('well', 'refreshed').length >= 11);
  assert.deepEqual(
    events.filter((each) => 'login' in each && /dead|plain/.test(each.login)),
    [],
  );
  const text = metricsText(keeper.view(), clock.now());
  for (const [state, count] of Object.entries({ fresh: 1, failing: 1, login_needed: 2, unrefreshable: 1 })) {
    assert.ok(text.includes(`postern_keeper_logins{state="${state}"} ${count}\n`), text);
  }
  assert.match(text, /postern_keeper_refresh_failures_total\{login="away",code="network_failed"\} \d+\n/);
});

it('what a person, or a platform, has mended elsewhere is found by itself: a login that needed somebody is tried again', async () => {
  let tries = 0;
  const { of, keeper } = await keep([kept('job', 600_000)], 7_200_000, () => {
    tries += 1;
    if (tries < 6) throw failure(tries < 4 ? 'assertion_unreadable' : 'login_expired', 3);
    return 600_000;
  });
  assert.equal(of('job', 'refresh_failed').length, 2, 'once for each reason');
  assert.ok(of('job', 'refreshed').length >= 4);
  assert.deepEqual(
    keeper.view().states.map(({ isEnded }) => isEnded),
    [false],
  );
});

it('an ended login that was made anew is kept again', async () => {
  let logins = [kept('work', 600_000)];
  let isMade = false;
  const { of } = await keep(
    () => logins,
    3_600_000,
    (_, now) => {
      if (isMade) return 600_000;
      isMade = true;
      logins = [{ ...kept('work', 0), obtainedAt: now + 1, expiresAt: now + 600_000 }];
      throw failure('login_expired', 3);
    },
  );
  assert.equal(of('work', 'refresh_failed').length, 1);
  assert.ok(of('work', 'refreshed').length >= 4);
});

const hour = 3_600_000;

for (const [when, lifeMs, atMs] of [
  ['early in a token’s life', 2 * hour, 600_000],
  ['after more than an hour of it', 3 * hour, 1.5 * hour],
] as const) {
  it(`[A-140] the clock is set back by an hour ${when}: the token is refreshed before it really ends, and one line says so`, async () => {
    let ends = lifeMs;
    const setBack = { atMs, byMs: hour };
    const { events } = await keep(
      [kept('work', lifeMs)],
      12 * hour,
      (_key, _now, since) => {
        assert.ok(since < ends, `it ended at ${ends}, and was refreshed at ${since}`);
        ends = since + lifeMs;
        return lifeMs;
      },
      setBack,
    );
    assert.ok(ends > 12 * hour, 'and so to the end');
    const told = events.filter(({ event }) => event === 'clock_set_back');
    assert.equal(told.length, 1);
    for (const event of told) assert.match(eventLine(event, 0), /\b60 min\b/);
  });
}

it('[A-140] a keeper that begins after the clock was set back refreshes at once, and not again and again', async () => {
  const { of, events } = await keep(
    [{ ...kept('work', 2 * hour), obtainedAt: 1_000_000 + hour }],
    hour,
    () => 2 * hour,
  );
  assert.equal(of('work', 'refreshed').length, 1);
  assert.equal(events.filter(({ event }) => event === 'clock_set_back').length, 1);
});

it('[A-140] a login that failed is tried again after its rest, though the clock was set back by a day meanwhile', async () => {
  const setBack = { atMs: 420_000, byMs: 24 * hour };
  const fails = () => {
    throw failure('network_failed', 6);
  };
  const { of } = await keep([kept('work', 600_000)], hour, fails, setBack);
  assert.ok(of('work', 'refresh_failed').length > 5);
});

it('labels are escaped: no name of a login can add a line or a label', () => {
  const login = { ...kept('x', 1000), label: 'a"} 1\nevil{x="\\\u001b' };
  const life = { obtainedAt: 0, expiresAt: 1000 };
  const state = {
    login,
    life,
    dueAt: 0,
    dueBy: 0,
    restsUntil: 0,
    failures: 0,
    isEnded: false,
    refreshes: 1,
    failed: new Map(),
  };
  const text = metricsText({ isLeader: true, isStoreThere: true, states: [state] }, 0);
  assert.ok(text.includes('postern_keeper_refreshes_total{login="a\\"} 1\\nevil{x=\\"\\\\?"} 1\n'));
  for (const line of text.split('\n')) assert.match(line, /^(?:# (?:HELP|TYPE) postern_keeper_|postern_keeper_|$)/);
});
