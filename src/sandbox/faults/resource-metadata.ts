import { type Fault, faultsAt, html, jsonOf, redirect, withJson, withText } from './fault.js';

const { patch, success, instead } = faultsAt('resource-metadata');

/** A: what the protected resource metadata document says. */
export function resourceMetadataFaults(): readonly Fault[] {
  return [
    patch('prm-wrong-resource', [17], 'resource names another host', () => ({ resource: 'https://bank.example/mcp' })),
    patch('prm-resource-origin', [18], 'resource names the whole origin', (_document, { addresses }) => ({
      resource: addresses.serverOrigin,
    })),
    patch('prm-resource-sibling', [18], 'resource names a sibling path', (_document, { addresses }) => ({
      resource: `${addresses.serverOrigin}/other`,
    })),
    patch('prm-resource-fragment', [19], 'resource has a fragment', ({ resource }) => ({ resource: `${resource}#a` })),
    patch('prm-no-servers', [21], 'no authorization_servers', () => ({ authorization_servers: undefined })),
    patch('prm-empty-servers', [21], 'authorization_servers is []', () => ({ authorization_servers: [] })),
    patch('prm-other-issuer', [22], 'names another authorization server', () => ({
      authorization_servers: ['https://evil.invalid'],
    })),
    patch('prm-hostile-names', [27], 'display fields aimed at the terminal', () => ({
      resource_name: '\u001b[2J\u001b]0;owned\u0007\u202egood',
      resource_documentation: 'javascript:alert(1)',
    })),
    success('prm-array', [20], 'an array instead of an object', (_exchange, response) =>
      withJson(response, [jsonOf(response)]),
    ),
    success('prm-duplicate-keys', [20], 'resource twice', ({ addresses: { serverUrl, issuer } }, response) =>
      withText(
        response,
        `{"resource":"${serverUrl}","authorization_servers":["${issuer}"],"resource":"https://evil.invalid"}`,
      ),
    ),
    instead('prm-html', [16], '200 with an HTML page', () =>
      html(200, '<!doctype html><title>Welcome</title><p>Please log in.'),
    ),
    instead('prm-missing', [23], '404 at every address', () => html(404, 'nothing here')),
    instead('prm-redirect-elsewhere', [8], 'a redirect to the cloud metadata address', () =>
      redirect(302, 'http://169.254.169.254/latest/meta-data/'),
    ),
    instead('prm-redirect-ring', [8, 255], 'redirects to itself for ever', ({ path }) =>
      redirect(302, `${path}?${Date.now()}`),
    ),
  ];
}
