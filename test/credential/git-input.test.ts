import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGitRequest } from '../../src/credential/formats/git.js';
import { isWholeGitRequest, parseGitAttributes } from '../../src/credential/formats/git-attributes.js';
import { Failure } from '../support/product.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readGitRequest(bytes(text));
const refused = (input: Uint8Array) =>
  assert.throws(
    () => readGitRequest(input),
    (error) => error instanceof Failure && error.code === 'request_unusable' && error.exit === 1,
  );

test('[A-171] lines end with LF alone; any other control in them is refused', () => {
  assert.equal(read('protocol=https\r\nhost=a.example\r\npath=x\r\n\r\n').target, 'https://a.example/x');
  for (const control of ['\r', '\0', '\t', '\v', '\f', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029']) {
    for (const name of ['host', 'path', 'username', 'unknown', 'wwwauth[]']) {
      refused(bytes(`protocol=https\nhost=github.com\n${name}=x${control}host=evil\n\n`));
    }
  }
  refused(Buffer.from([...bytes('protocol=https\nhost='), 0xc3, 0x28, 0x0a, 0x0a]));
  // The second line of a value is a line of its own, and contradicts.
  assert.equal(read('protocol=https\nhost=github.com\nhost=evil\n\n').target, undefined);
  // Percent-encoded ends of lines stay what they are.
  assert.equal(read('protocol=https\nhost=a.example%0ahost=evil\n\n').target, 'https://a.example%0ahost=evil');
  assert.equal(read('protocol=https\nhost=a.example\npath=x%0ay\n\n').target, 'https://a.example/x%250ay');
});

test('[A-172] what contradicts itself or names no server is no request for a token', () => {
  for (const lines of [
    ['url=https://user@good.com\\@evil'],
    ['url=https://user:x@good.com/'],
    ['host=good.com', 'url=https://evil.com/', 'protocol=https'],
    ['url=https://evil.com/', 'path=x'],
    ['protocol=https', 'protocol=http', 'host=good.com'],
    ['protocol=https', 'path=x'],
    ['host=good.com'],
    ['protocol=ssh', 'host=good.com'],
    ['protocol=HTTPS', 'host=good.com'],
    ['protocol=https', 'host=good.com/x'],
    ['protocol=https', 'host=user@good.com'],
    ['protocol=https', 'host=good.com?x'],
    ['protocol=https', 'host=evil\\good.com'],
    [],
  ]) {
    assert.equal(read(`${lines.join('\n')}\n\n`).target, undefined, lines.join(' '));
  }
  assert.equal(read('url=https://good.com/x\n\n').target, 'https://good.com/x');
  assert.equal(read('protocol=https\nhost=good.com\npath=a b/ü?#\n').target, 'https://good.com/a%20b/%C3%BC%3F%23');
});

test('[A-178] too long, too many, no name=value: refused; what is not known is passed over', () => {
  refused(bytes(`protocol=https\nhost=${'a'.repeat(65_536)}\n\n`));
  refused(bytes(`${'x=y\n'.repeat(257)}\n`));
  refused(bytes('protocol=https\nnonsense\n\n'));
  refused(bytes('=x\n\n'));
  const fit = `protocol=https\nhost=a.example\n${'x=y\n'.repeat(254)}\n`;
  assert.equal(read(fit).target, 'https://a.example');
  assert.equal(read('protocol=https\nhost=a.example\nfuture=1\nfuture[]=2\n\nhost=evil\n').target, 'https://a.example');
});

test('[A-177][A-178] only what was announced is answered with, wherever it was announced', () => {
  assert.equal(read('protocol=https\nhost=a.example\n\n').takesBearer, false);
  assert.equal(read('protocol=https\nhost=a.example\ncapability[]=state\n\n').takesBearer, false);
  assert.equal(read('protocol=https\nhost=a.example\ncapability[]=authtype\n\n').takesBearer, true);
  assert.equal(read('capability[]=authtype\ncapability[]=\nprotocol=https\nhost=a.example\n\n').takesBearer, false);
});

test('[A-179] a challenge says whether a password is of use, and nothing else', () => {
  const with_ = (...challenges: string[]) =>
    read(`protocol=https\nhost=a.example\n${challenges.map((one) => `wwwauth[]=${one}\n`).join('')}\n`);
  assert.equal(with_().mayTakePassword, true);
  assert.equal(with_('Basic realm="x"').mayTakePassword, true);
  assert.equal(with_('Bearer realm="https://evil.example/"', 'basic').mayTakePassword, true);
  assert.equal(with_('Bearer resource_metadata="https://evil.example/"').mayTakePassword, false);
  assert.equal(with_('Basically realm="x"').mayTakePassword, false);
  assert.equal(with_('Bearer resource_metadata="https://evil.example/"').target, 'https://a.example');
});

test('a request ends with an empty line', () => {
  for (const text of ['', 'a=b', 'a=b\n', 'a=b\nc=d\n']) assert.equal(isWholeGitRequest(bytes(text)), false, text);
  for (const text of ['\n', 'a=b\n\n', 'a=b\r\n\r\n', 'a=b\n\nmore'])
    assert.equal(isWholeGitRequest(bytes(text)), true, text);
  assert.deepEqual([...(parseGitAttributes(bytes('a=b=c\nl[]=1\nl[]=2'))?.values ?? [])], [['a', 'b=c']]);
});
