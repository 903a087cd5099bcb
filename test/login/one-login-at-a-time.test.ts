import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Crowd, openCrowd } from '../support/flows/crowd.js';
import { failureOf } from '../support/http.js';

test('[A-109] five logins at once for one server: one tab, one registration, one token, and all five have it', async () => {
  await using crowd = await openCrowd(5);
  const logins = [0, 1, 2, 3, 4].map((index) => crowd.logIn(index));
  await Promise.all([crowd.waiting(4), crowd.opened(1)]);
  await crowd.walk(0);
  const records = await Promise.all(logins);
  assert.equal(crowd.tabs.length, 1);
  const { sandbox, ports } = crowd.scene;
  assert.equal(sandbox.stats.tokenRequests, 1);
  assert.equal(sandbox.requests.filter(({ path }) => path === '/register').length, 1);
  assert.equal(new Set(records.map(({ key, generation }) => `${key} ${generation}`)).size, 1);
  assert.equal((await ports.index.read()).logins.length, 1);
  const told = crowd.terminals.map((one) => one.told.join('\n'));
  assert.equal(told.filter((text) => /process \d+/.test(text)).length, 4);
  assert.equal(told.filter((text) => text.includes('used here, too')).length, 4);
});

test('[A-109] the first one is refused: of those who wait, one takes over, and the others take its login', async () => {
  await using crowd = await openCrowd(4);
  const first = failureOf(crowd.logIn(0), 'denied');
  await crowd.opened(1);
  const others = [1, 2, 3].map((index) => crowd.logIn(index));
  await crowd.waiting(3);
  await crowd.walk(0, { decision: 'deny' });
  await first;
  await crowd.opened(2);
  await crowd.walk(1);
  const records = await Promise.all(others);
  assert.equal(crowd.tabs.length, 2);
  assert.equal(new Set(records.map(({ key }) => key)).size, 1);
  const told = crowd.terminals.map((one) => one.told.join('\n'));
  assert.equal(told.filter((text) => text.includes('ended without a login')).length, 1);
});

test('[A-109] who waits ends at once on Ctrl-C, and the other login goes on', async () => {
  await using crowd = await openCrowd(2);
  const first = crowd.logIn(0);
  await crowd.opened(1);
  const interruption = new AbortController();
  const second = crowd.logIn(1, { signal: interruption.signal });
  await crowd.waiting(1);
  const reason = new Error('Ctrl-C');
  interruption.abort(reason);
  await assert.rejects(second, reason);
  await crowd.walk(0);
  assert.equal((await first).generation, 1);
  assert.equal(crowd.tabs.length, 1);
});

test('[A-109] who waits longer than its own time limit says who it waited for', async () => {
  await using crowd = await openCrowd(2);
  const first = crowd.logIn(0);
  await crowd.opened(1);
  const failure = await failureOf(crowd.logIn(1, { timeoutMs: 50 }), 'busy');
  assert.equal(failure.exit, 6);
  assert.match(failure.message, new RegExp(`process ${process.pid}`));
  await crowd.walk(0);
  await first;
});

test('[A-109] a login that asks for something else goes on by itself after the first', async () => {
  const wishes = [{ scopes: ['mcp:basic', 'notes:write'] }, { store: 'file' as const }];
  for (const wish of wishes) {
    await using crowd = await openCrowd(2);
    const first = crowd.logIn(0);
    await crowd.opened(1);
    const second = crowd.logIn(1, wish);
    await crowd.waiting(1);
    await crowd.walk(0);
    await crowd.opened(2);
    await crowd.walk(1);
    const [one, other] = await Promise.all([first, second]);
    assert.notEqual(other.generation, one.generation);
    const wanted = wish.scopes ?? [];
    assert.ok(
      wanted.every((scope) => other.scopes.includes(scope)),
      other.scopes.join(' '),
    );
  }
});

test('[A-109] a login that names what the first one got takes it, and so does one that leaves open what the first one chose', async () => {
  const issuer = (crowd: Crowd) => crowd.scene.sandbox.issuer;
  const pairs = [
    () => [{}, {}],
    (crowd: Crowd) => [{}, { scopes: ['mcp:basic'], registration: 'dynamic' as const, issuer: issuer(crowd) }],
    (crowd: Crowd) => [{ store: 'memory' as const, issuer: issuer(crowd), name: 'work' }, {}],
  ];
  for (const pair of pairs) {
    await using crowd = await openCrowd(2);
    const [one, other] = pair(crowd);
    const first = crowd.logIn(0, one);
    await crowd.opened(1);
    const second = crowd.logIn(1, other);
    await crowd.waiting(1);
    await crowd.walk(0);
    assert.equal((await second).key, (await first).key);
    assert.equal(crowd.tabs.length, 1);
  }
});

test('[A-109][R-5.6a] two step-ups at once: for the same scope one tab; for another one its own, and nothing is lost', async () => {
  await using crowd = await openCrowd(3);
  const start = crowd.logIn(0);
  await crowd.opened(1);
  await crowd.walk(0);
  const seen = await start;
  const stepUp = (scope: string) => ({ seen, heldScopes: seen.scopes, scopes: [scope] });
  const logins = [crowd.logIn(0, stepUp('notes:write'))];
  await crowd.opened(2);
  logins.push(crowd.logIn(1, stepUp('notes:write')), crowd.logIn(2, stepUp('notes:read')));
  await crowd.waiting(2);
  await crowd.walk(1);
  await crowd.opened(3);
  await crowd.walk(2);
  const [one, same, other] = await Promise.all(logins);
  assert.ok(one?.scopes.includes('notes:write'));
  assert.ok(same?.scopes.includes('notes:write'));
  assert.ok(['notes:write', 'notes:read'].every((scope) => other?.scopes.includes(scope)));
  assert.equal(crowd.tabs.length, 3);
});

test('[A-109] a login made since the caller looked is taken without a tab, under the name that was asked for', async () => {
  await using crowd = await openCrowd(2);
  const first = crowd.logIn(0);
  await crowd.opened(1);
  await crowd.walk(0);
  await first;
  const record = await crowd.logIn(1, { name: 'work' });
  assert.equal(crowd.tabs.length, 1);
  assert.equal(record.name, 'work');
  assert.deepEqual(
    (await crowd.scene.ports.index.read()).logins.map(({ name }) => name),
    ['work'],
  );
  const again = crowd.logIn(1, { seen: record });
  await crowd.opened(2);
  await crowd.walk(1);
  assert.equal((await again).generation, 2);
});

test('[A-109] a person who types a login does not wait for the tab of a program, which takes the login that is made', async () => {
  await using crowd = await openCrowd(3);
  const caller = () => 'agent';
  const program = crowd.logIn(0, { caller });
  await crowd.opened(1);
  const next = crowd.logIn(2, { caller });
  await crowd.waiting(1);
  const person = crowd.logIn(1);
  await crowd.opened(2);
  await crowd.walk(1);
  const made = await person;
  for (const other of [program, next]) assert.equal((await other).generation, made.generation);
  assert.equal(crowd.tabs.length, 2);
});

test('[A-109] a program whose tab is open takes no login of a person that lacks what it asks for', async () => {
  await using crowd = await openCrowd(2);
  const [ports] = crowd.terminals;
  assert.ok(ports !== undefined);
  const { sleep } = ports.clock;
  let look = (): void => undefined;
  Object.assign(ports.clock, {
    sleep: (ms: number, signal: AbortSignal) => {
      if (ms === 1_000) look();
      return sleep(ms, signal);
    },
  });
  const program = crowd.logIn(0, { caller: () => 'agent', scopes: ['mcp:basic', 'notes:write'] });
  await crowd.opened(1);
  const person = crowd.logIn(1, { scopes: ['mcp:basic'] });
  await crowd.opened(2);
  await crowd.walk(1);
  const { generation } = await person;
  // Twice, as one of its looks may be under way.
  for (let looks = 0; looks < 2; looks += 1) {
    const looked = new Promise<void>((resolve) => {
      look = resolve;
    });
    await Promise.race([looked, program]);
  }
  await crowd.walk(0);
  const made = await program;
  assert.notEqual(made.generation, generation);
  assert.ok(made.scopes.includes('notes:write'), made.scopes.join(' '));
});

test('[A-78] programs have one tab at a time for a server, whichever account each wants', async () => {
  await using crowd = await openCrowd(2);
  const caller = () => 'agent';
  const first = crowd.logIn(0, { caller });
  await crowd.opened(1);
  const second = crowd.logIn(1, { caller, account: 'other' });
  await crowd.waiting(1);
  assert.equal(crowd.tabs.length, 1);
  await crowd.walk(0);
  await first;
  await crowd.opened(2);
  await crowd.walk(1);
  await second;
});
