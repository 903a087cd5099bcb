import { type Row, testRows } from './rows.js';
import { address, changed } from './sample.js';

const required: readonly Row[] = [
  ['another id', changed({ client_id: 'https://me.postern/other.json' }), 'failure client_id'],
  ['other letter case', changed({ client_id: 'https://me.postern/App/client.json' }), 'failure client_id'],
  ['a host in capitals', changed({ client_id: 'https://ME.postern/app/client.json' }), 'failure client_id'],
  ['a slash at the end', changed({ client_id: `${address}/` }), 'failure client_id'],
  ['a query', changed({ client_id: `${address}?v=1` }), 'failure client_id'],
  ['http', changed({ client_id: address.replace('https', 'http') }), 'failure client_id'],
  ['the port spelled out', changed({ client_id: 'https://me.postern:443/app/client.json' }), 'failure client_id'],
  ['no client_id', changed({ client_id: undefined }), 'failure client_id'],
  ['a client_id that is no text', changed({ client_id: [address] }), 'failure client_id'],
  ['no client_name', changed({ client_name: undefined }), 'failure client_name'],
  ['an empty client_name', changed({ client_name: ' ' }), 'failure client_name'],
  ['a name that turns the text around', changed({ client_name: 'a\u202eb' }), 'failure client_name'],
  ['a long name', changed({ client_name: 'a'.repeat(200) }), 'warning client_name'],
  ['no redirect_uris', changed({ redirect_uris: undefined }), 'failure redirect_uris'],
  ['redirect_uris that is one text', changed({ redirect_uris: 'http://127.0.0.1/callback' }), 'failure redirect_uris'],
  ['no redirect URI in the list', changed({ redirect_uris: [] }), 'failure redirect_uris'],
];

const redirects: readonly Row[] = [
  ['none of ours', changed({ redirect_uris: ['http://127.0.0.1/other?a=1'] }), 'failure redirect_uris'],
  ['ours by choice', changed({ redirect_uris: ['http://127.0.0.1/other'] }), 'warning redirect_uris'],
  [
    'plain http elsewhere',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'http://me.postern/callback'],
    }),
    'failure redirect_uris',
  ],
  [
    'a wildcard',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'https://*.postern/callback'],
    }),
    'failure redirect_uris',
  ],
  [
    'a fragment',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'http://127.0.0.1/callback#a'],
    }),
    'failure redirect_uris',
  ],
  [
    'a scheme of its own',
    changed({ redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'postern://callback'] }),
    'failure redirect_uris',
  ],
  [
    'a script',
    changed({ redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'javascript:alert(1)'] }),
    'failure redirect_uris',
  ],
  [
    'another machine',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'https://me.postern/callback'],
    }),
    'warning redirect_uris',
  ],
  ['no fixed port', changed({ redirect_uris: ['http://127.0.0.1/callback'] }), 'warning redirect_uris'],
  ['fixed ports alone', changed({ redirect_uris: ['http://127.0.0.1:17873/callback'] }), 'warning redirect_uris'],
  [
    'one twice',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'http://127.0.0.1/callback'],
    }),
    'warning redirect_uris',
  ],
];

const texts: readonly Row[] = [
  ['6 KB', changed({ more: 'x'.repeat(6000) }), 'failure too_large'],
  ['a web page', '<!doctype html><title>404</title>', 'failure json'],
  ['a list', '[]', 'failure json'],
  ['no JSON', '{"client_id": }', 'failure json'],
  ['nothing', '', 'failure json'],
  ['a byte order mark', `\ufeff${changed({})}`, 'failure json'],
  ['a member twice', `{"client_id":"https://evil.postern/c",${changed({}).slice(1)}`, 'failure json'],
];

testRows('[R-2.3a][R-5.7a]', required);
testRows('[R-2.3a][R-2.5d][R-5.8d]', redirects);
testRows('[R-2.3b]', texts);
