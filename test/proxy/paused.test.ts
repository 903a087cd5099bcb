import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { proxyLimits } from '../../src/proxy/limits.js';
import { serverLimits } from '../../src/relay/limits.js';
import { startHttp } from '../support/http-server.js';
import { ask, mountOf, openStand } from './stand.js';

/** A clock that goes on when it is told to, and looks that are made when they are told to: those made every so many ms. */
function startClock(t: TestContext, everyMs: number) {
  const [now, repeat] = [performance.now.bind(performance), globalThis.setInterval];
  let ahead = 0;
  let look: () => void = () => assert.fail('nobody looks');
  t.mock.method(performance, 'now', () => now() + ahead);
  const held = (work: () => void, ms: number) => {
    if (ms !== everyMs) return repeat(work, ms);
    look = work;
    return repeat(() => undefined, 1_000_000);
  };
  t.mock.method(globalThis, 'setInterval', held as typeof setInterval);
  return {
    /** So much time is over before the next look. */
    goOn: (ms: number) => {
      ahead += ms;
      look();
    },
  };
}

test('a server that has answered while the proxy was stopped is not late; one that has not is, at the next look [A-225]', async (t) => {
  const clock = startClock(t, proxyLimits.sweepMs);
  let release: () => void = () => undefined;
  await using server = await startHttp((_, response) => {
    release = () => response.end('in time');
  });
  const limits = { headMs: 20_000, silenceMs: null };
  await using stand = await openStand(mountOf(`${server.origin}/mcp`), { limits });
  const first = ask(stand, stand.at());
  while (server.requests.length < 1) await nextTurn();
  clock.goOn(60_000);
  release();
  assert.equal((await first).body, 'in time');
  const second = ask(stand, stand.at());
  while (server.requests.length < 2) await nextTurn();
  clock.goOn(60_000);
  clock.goOn(proxyLimits.sweepMs);
  assert.equal((await second).code, 'timed_out');
});

test('a caller whose head came while the proxy was stopped is not late; one that is slow is, at the next look [A-226]', async (t) => {
  const clock = startClock(t, serverLimits.lookMs);
  await using server = await startHttp((_, response) => response.end('fine'));
  await using stand = await openStand(mountOf(`${server.origin}/mcp`));
  const head = `GET ${stand.at()} HTTP/1.1\r\nHost: 127.0.0.1:${stand.port}\r\n\r\n`;
  const begin = async (text: string) => {
    const caller = connect(stand.port, '127.0.0.1').setEncoding('latin1');
    await once(caller, 'connect');
    caller.write(text);
    await ask(stand, stand.at()); // what came before on other connections is read by then
    return caller;
  };
  const stopped = await begin(head.slice(0, 20));
  clock.goOn(60_000);
  stopped.write(head.slice(20));
  assert.match(String(await once(stopped, 'data')), /^HTTP\/1\.1 200 /);
  const slow = await begin(head.slice(0, 20));
  clock.goOn(60_000);
  clock.goOn(serverLimits.lookMs);
  assert.match(String(await once(slow, 'data')), /^HTTP\/1\.1 408 /);
  for (const caller of [stopped, slow]) caller.destroy();
});
