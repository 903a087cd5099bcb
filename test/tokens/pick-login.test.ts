import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOne, pickLogin } from '../../src/tokens/find-login.js';
import type { LoginRecord } from '../support/product.js';

const login = (server: string, account = 'default', name?: string) =>
  ({ server, account, ...(name === undefined ? {} : { name }) }) as LoginRecord;
const logins = [
  login('https://a.example/mcp', 'default', 'work'),
  login('https://a.example/mcp', 'second'),
  login('https://b.example', 'x'),
  login('https://b.example', 'y'),
  login('https://c.example/mcp'),
  login('https://c.example/mcp/deep'),
  login('https://q.example/mcp?project=alpha', 'default', 'alpha'),
  login('https://q.example/mcp?project=beta'),
  login('https://q.example/mcp?project=beta', 'second'),
  login('https://r.example/mcp'),
  login('https://r.example/mcp?project=alpha'),
];
const pick = (server: string, account?: string) => {
  const picked = pickLogin(logins, { server, account });
  return picked.kind === 'one' ? logins.indexOf(picked.login) : picked.kind;
};

test('by name, by address in any spelling, by an address below, the longest first', () => {
  assert.equal(pick('work'), 0);
  assert.equal(pick('HTTPS://C.example:443/mcp'), 4);
  assert.equal(pick('https://c.example/mcp/other'), 4);
  assert.equal(pick('https://c.example/mcp/deep/er'), 5);
});

test('of several accounts the default one is meant; without one the person has to say', () => {
  assert.equal(pick('https://a.example/mcp'), 0);
  assert.equal(pick('https://a.example/mcp', 'second'), 1);
  assert.equal(pick('https://b.example'), 'several');
  assert.equal(pick('https://b.example', 'y'), 3);
  assert.equal(pick('https://b.example', 'z'), 'none');
});

test('of several accounts the chosen one is meant, among those of one server alone', () => {
  const chosen = { ...login('https://b.example', 'y'), preferred: true };
  const ofServer = [login('https://b.example'), login('https://b.example', 'x'), chosen];
  assert.deepEqual(onlyOne(ofServer), { kind: 'one', login: chosen });
  assert.equal(onlyOne([login('https://a.example', 'x'), chosen]).kind, 'several');
  const [usual] = ofServer;
  assert.deepEqual(pickLogin(ofServer, { server: 'https://b.example', account: 'default' }), {
    kind: 'one',
    login: usual,
  });
});

test('the name of one login and the account of another mean that account at the same server, and nowhere else', () => {
  assert.equal(pick('work', 'second'), 1);
  assert.equal(pick('work', 'default'), 0);
  assert.equal(pick('work', 'x'), 'none');
});

test('[R-5.1a][A-158] nothing that is not named exactly: no other origin, no sibling path, no near name', () => {
  for (const server of [
    'worK',
    'wor',
    '',
    'https://c.example/mcp-evil',
    'https://c.example/',
    'http://c.example/mcp',
    'https://c.example:444/mcp',
    'https://evil.example/mcp',
  ]) {
    assert.equal(pick(server), 'none', server);
  }
});

test('[R-5.1a] the query tells servers apart: that very one, and a login with a query for that query alone', () => {
  assert.equal(pick('https://q.example/mcp?project=alpha'), 6);
  assert.equal(pick('https://q.example/mcp?project=beta'), 7);
  assert.equal(pick('https://q.example/mcp?project=beta', 'second'), 8);
  assert.equal(pick('alpha', 'second'), 'none');
  for (const server of [
    'https://q.example/mcp',
    'https://q.example/mcp?project=gamma',
    'https://q.example/mcp?project=alph',
    'https://q.example/mcp?project=alphas',
    'https://q.example/mcp?project=ALPHA',
    'https://q.example/mcp?x=1&project=alpha',
    'https://q.example/mcp?project=alpha&project=beta',
    'https://q.example/mcp?project=alpha&PROJECT=beta',
    'https://q.example/mcp?project=alpha&%70roject=beta',
    'https://q.example/mcp?project=alpha&project[]=beta',
    'https://q.example/mcp?project=alpha&x=1;project=beta',
    'https://q.example/mcp?project=alpha;project=beta',
    'https://q.example?project=alpha',
  ]) {
    assert.equal(pick(server), 'none', server);
  }
  assert.equal(pick('https://q.example/mcp/below?project=alpha'), 6);
  assert.equal(pick('https://q.example/mcp?project=alpha&page=2'), 6);
});

test('a login without a query is for every query, where none is nearer', () => {
  assert.equal(pick('https://r.example/mcp?project=alpha'), 10);
  assert.equal(pick('https://r.example/mcp?project=beta'), 9);
  assert.equal(pick('https://r.example/mcp'), 9);
  assert.equal(pick('https://r.example/mcp/x?project=alpha'), 10);
});
