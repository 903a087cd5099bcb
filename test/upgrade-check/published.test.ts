import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isNewer,
  npmErrorCode,
  type Published,
  readPublished,
  runsOn,
  sameRepository,
} from '../../src/upgrade-check/published.js';
import { anyText } from '../support/arbitraries.js';

const view = (more: object) => JSON.stringify({ name: 'postern', 'dist-tags': { latest: '1.2.3' }, ...more });

const read = (text: string, current = '1.0.0'): Published => {
  const published = readPublished(text, current);
  assert.ok(published, text);
  return published;
};

test('releases are compared by semver: a prerelease comes before its release, what was built is of no account', () => {
  const inOrder = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1'];
  const all = [...inOrder, '1.0.0', '1.0.1', '1.9.0', '1.10.0', '2.0.0-0', '2.0.0'];
  for (const [at, version] of all.entries()) {
    for (const [other, than] of all.entries()) assert.equal(isNewer(version, than), at > other, `${version} ${than}`);
  }
  assert.equal(isNewer('1.0.0+2', '1.0.0+1'), false);
});

test('whoever runs a prerelease is told of the newer one of latest and next, and nobody else of next', () => {
  const tags = (latest: string, next: string) => view({ 'dist-tags': { latest, next }, engines: { node: '>=24' } });
  assert.equal(read(tags('1.2.3', '2.0.0-rc.1'), '1.0.0').version, '1.2.3');
  assert.equal(read(tags('1.2.3', '2.0.0-rc.1'), '2.0.0-beta').version, '2.0.0-rc.1');
  assert.equal(read(tags('2.0.0', '2.0.0-rc.1'), '2.0.0-beta').version, '2.0.0');
  // What it needs is known of the newest release alone.
  assert.equal(read(tags('1.2.3', '2.0.0-rc.1'), '2.0.0-beta').node, undefined);
  assert.equal(read(tags('2.0.0', '2.0.0-rc.1'), '2.0.0-beta').node, '>=24');
});

test('what is no list of releases is none', () => {
  const none = ['', '[]', '7', '"1.0.0"', '{', '{}', '{"dist-tags":"1.0.0"}', '{"dist-tags":{}}'];
  const odd = [
    '{"dist-tags":{"latest":7}}',
    '{"dist-tags":{"latest":"newest; rm -rf /"}}',
    '{"dist-tags":{"next":"9.0.0"}}',
  ];
  for (const text of [...none, ...odd, `{"dist-tags":{"latest":"1.0.0","latest":"2.0.0"}}`]) {
    assert.equal(readPublished(text, '1.0.0'), undefined, text);
  }
});

test('whatever a registry says, the version is a harmless word of a command line', () => {
  const odd = fc.oneof(fc.string(), anyText(), fc.stringMatching(/^v?1\.\d\.\d[-+]?\S{0,20}$/));
  fc.assert(
    fc.property(odd, fc.jsonValue(), fc.jsonValue(), (latest, repository, engines) => {
      const published = readPublished(view({ 'dist-tags': { latest }, repository, engines }), '1.0.0');
      if (published === undefined) return;
      assert.match(published.version, /^[0-9A-Za-z.-]+$/);
      assert.equal(typeof isNewer(published.version, '1.0.0'), 'boolean');
      assert.equal(typeof runsOn('20.19.0', published), 'boolean');
    }),
  );
});

test('what a newer release needs of Node.js is said by npm’s own ranges, and is nothing where nobody can read it', () => {
  assert.equal(runsOn('20.19.0', read(view({ engines: { node: '>=20.19' } }))), true);
  assert.equal(runsOn('20.19.0', read(view({ engines: { node: '^22.12 || >=24' } }))), false);
  assert.equal(runsOn('20.19.0', read(view({ engines: { node: '\u001b[31m>=99' } }))), true);
  assert.equal(read(view({ engines: { node: `>=${'9'.repeat(500)}` } })).node, undefined);
  assert.equal(read(view({ engines: ['node'] })).node, undefined);
});

test('a repository is one and the same in each of npm’s spellings', () => {
  const spelled = [
    'https://github.com/Someone/postern',
    'git+https://github.com/someone/postern.git',
    'git+ssh://git@github.com/someone/postern.git',
    'git://github.com/someone/postern.git#main',
    'git@github.com:someone/postern.git',
    'https://user:word@github.com/someone/postern/',
    'github:someone/postern',
    'someone/postern',
  ];
  for (const one of spelled) for (const other of spelled) assert.ok(sameRepository(one, other), `${one} ${other}`);
  const others = [
    'https://github.com/someone/postern2',
    'https://github.com/else/postern',
    'https://github.com.example/someone/postern',
    'https://example.com/github.com/someone/postern',
    'gitlab:someone/postern',
  ];
  for (const other of others) assert.equal(sameRepository('someone/postern', other), false, other);
});

test('why npm failed is its code, wherever it printed that, and no other text of it', () => {
  assert.equal(npmErrorCode('{"error":{"code":"E404","summary":"x"}}', ''), 'E404');
  assert.equal(npmErrorCode('', 'npm warn x\nnpm error code ENOTFOUND\nnpm error y\n'), 'ENOTFOUND');
  assert.equal(npmErrorCode('', 'npm ERR! code EAI_AGAIN\n'), 'EAI_AGAIN');
  assert.equal(npmErrorCode('{"error":{"code":"\\u001b[2J"}}', 'Segmentation fault'), undefined);
  fc.assert(
    fc.property(fc.string(), fc.string(), (stdout, stderr) => {
      assert.match(npmErrorCode(stdout, stderr) ?? 'NONE', /^[A-Z0-9_]+$/);
    }),
  );
});
