import { type Row, testRows } from './rows.js';
import { address, changed } from './sample.js';

const required: readonly Row[] = [
  ['another id', changed({ client_id: 'https://me.postern/other.json' }), 'failure client_id_differs'],
  ['other letter case', changed({ client_id: 'https://me.postern/App/client.json' }), 'failure client_id_differs'],
  ['a host in capitals', changed({ client_id: 'https://ME.postern/app/client.json' }), 'failure client_id_differs'],
  ['a slash at the end', changed({ client_id: `${address}/` }), 'failure client_id_differs'],
  ['a query', changed({ client_id: `${address}?v=1` }), 'failure client_id_differs'],
  ['http', changed({ client_id: address.replace('https', 'http') }), 'failure client_id_differs'],
  [
    'the port spelled out',
    changed({ client_id: 'https://me.postern:443/app/client.json' }),
    'failure client_id_differs',
  ],
  ['no client_id', changed({ client_id: undefined }), 'failure client_id_missing'],
  ['a client_id that is no text', changed({ client_id: [address] }), 'failure client_id_missing'],
  ['no client_name', changed({ client_name: undefined }), 'failure client_name_missing'],
  ['an empty client_name', changed({ client_name: ' ' }), 'failure client_name_missing'],
  ['a name that turns the text around', changed({ client_name: 'a\u202eb' }), 'failure client_name_deceptive'],
  ['a long name', changed({ client_name: 'a'.repeat(200) }), 'warning client_name_long'],
  ['no redirect_uris', changed({ redirect_uris: undefined }), 'failure redirect_uris_missing'],
  [
    'redirect_uris that is one text',
    changed({ redirect_uris: 'http://127.0.0.1/callback' }),
    'failure redirect_uris_unusable',
  ],
  ['no redirect URI in the list', changed({ redirect_uris: [] }), 'failure redirect_uris_unusable'],
];

const redirects: readonly Row[] = [
  ['none of ours', changed({ redirect_uris: ['http://127.0.0.1/other?a=1'] }), 'failure redirect_uri_not_ours'],
  ['ours by choice', changed({ redirect_uris: ['http://127.0.0.1/other'] }), 'warning redirect_uri_by_choice'],
  [
    'plain http elsewhere',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'http://me.postern/callback'],
    }),
    'failure redirect_uri_plain_http',
  ],
  [
    'a wildcard',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'https://*.postern/callback'],
    }),
    'failure redirect_uri_wildcard',
  ],
  [
    'a fragment',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'http://127.0.0.1/callback#a'],
    }),
    'failure redirect_uri_fragment',
  ],
  [
    'a scheme of its own',
    changed({ redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'postern://callback'] }),
    'failure redirect_uri_unusable',
  ],
  [
    'a script',
    changed({ redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'javascript:alert(1)'] }),
    'failure redirect_uri_unusable',
  ],
  [
    'another machine',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'https://me.postern/callback'],
    }),
    'warning redirect_uri_elsewhere',
  ],
  ['no fixed port', changed({ redirect_uris: ['http://127.0.0.1/callback'] }), 'warning fixed_port_missing'],
  [
    'fixed ports alone',
    changed({ redirect_uris: ['http://127.0.0.1:17873/callback'] }),
    'warning redirect_uri_any_port_missing',
  ],
  [
    'one twice',
    changed({
      redirect_uris: ['http://127.0.0.1/callback', 'http://127.0.0.1:17873/callback', 'http://127.0.0.1/callback'],
    }),
    'warning redirect_uri_twice',
  ],
];

const texts: readonly Row[] = [
  ['6 KB', changed({ more: 'x'.repeat(6000) }), 'failure too_large'],
  ['a web page', '<!doctype html><title>404</title>', 'failure is_html'],
  ['a list', '[]', 'failure not_an_object'],
  ['no JSON', '{"client_id": }', 'failure not_json'],
  ['nothing', '', 'failure not_json'],
  ['a byte order mark', `\ufeff${changed({})}`, 'failure byte_order_mark'],
  ['a member twice', `{"client_id":"https://evil.postern/c",${changed({}).slice(1)}`, 'failure duplicate_key'],
];

testRows('[R-2.3a][R-5.7a]', required);
testRows('[R-2.3a][R-2.5d][R-5.8d]', redirects);
testRows('[R-2.3b]', texts);
