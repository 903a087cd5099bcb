import type { CommandExit } from '../core/command.js';
import { exitCode } from '../core/failure.js';
import { printable, shellWord } from '../core/text/printable.js';
import { below } from '../core/text/system.js';
import { aborted } from '../core/time.js';
import { usageWrong } from '../core/usage-failures.js';
import { redirectOption } from '../oauth/client-metadata/redirect-uris.js';
import type { DocumentArguments } from './client-metadata.options.js';
import { changedSettings, readDocument } from './documents.js';
import { documentHeaders, otherHeaders } from './hosted-folder.js';
import type { ClientMetadataWorld } from './ports.js';

/** `client-metadata serve`: the folder over https on loopback, until the program is told to end. */
export async function serve(world: ClientMetadataWorld, args: DocumentArguments): Promise<CommandExit> {
  const there = await readDocument(world, args.target);
  const { url, redirectUris } = changedSettings(there);
  const own = new URL(url);
  const isLocal = ['127.0.0.1', 'localhost'].includes(own.hostname);
  const port = args.port ?? (isLocal ? Number(own.port) : 0);
  const { folder, path } = there;
  const base = own.pathname.slice(0, own.pathname.lastIndexOf('/') + 1);
  const page = { path: below(folder, 'index.html'), headers: typed('text/html; charset=utf-8') };
  const site = new Map([
    [own.pathname, { path, headers: documentHeaders }],
    [base, page],
    [`${base}index.html`, page],
    [`${base}logo.svg`, { path: below(folder, 'logo.svg'), headers: typed('image/svg+xml') }],
  ]);
  await using server = await world.serveDocument({ port, tls: readTls(args), site });
  const served = `https://${isLocal ? own.hostname : '127.0.0.1'}:${server.port}${own.pathname}`;
  const certificate = server.certificateFile;
  if (world.json) await world.out.json({ url: served, certificate: certificate ?? null });
  else await world.out.line(served);
  if (certificate !== undefined)
    for (const line of howToTrust(served, certificate, redirectOption(redirectUris))) world.tell(line);
  if (served !== url) {
    world.tell(`Note: the document is made for ${printable(url)}, and counts at no other address. For this one:`);
    world.tell(`  postern client-metadata build ${shellWord(path)} --url ${served} --out DIR`);
  }
  world.tell('Ctrl-C ends it.');
  await aborted(world.signal);
  return exitCode.interrupted;
}

function typed(type: string) {
  return [['Content-Type', type] as const, ...otherHeaders];
}

/** @throws Failure `usage_wrong` */
function readTls({ tlsCert, tlsKey, selfSigned }: DocumentArguments) {
  if (selfSigned && tlsCert === undefined && tlsKey === undefined) return 'self-signed';
  if (!selfSigned && tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  const message = 'serve needs either --self-signed, or --tls-cert FILE and --tls-key FILE.';
  throw usageWrong(message, 'postern client-metadata --help');
}

function howToTrust(url: string, certificateFile: string, option: string): readonly string[] {
  const file = shellWord(certificateFile);
  return [
    `Its certificate, for as long as this runs: ${printable(certificateFile)}`,
    `Check it:  POSTERN_CA_FILE=${file} postern client-metadata check ${shellWord(url)}`,
    `Try it:    postern sandbox --allow-client-documents-from ${new URL(url).host} --client-documents-ca ${file}`,
    `           postern login http://127.0.0.1:…/mcp --client-metadata-url ${shellWord(url)}${option === '' ? '' : ` ${option}`}`,
  ];
}
